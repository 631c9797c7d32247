use super::BackendKind;

#[test]
fn names_and_kinds_agree() {
    for kind in BackendKind::ALL {
        assert_eq!(kind.to_string().parse(), Ok(kind));
        assert_eq!(kind.as_str().to_uppercase().parse(), Ok(kind));
    }
    assert_eq!(" docker\n".parse(), Ok(BackendKind::Docker));
    assert_eq!(format!("[{:>7}]", BackendKind::Ssh), "[    ssh]");
    assert_eq!(BackendKind::default(), BackendKind::Local);
}

#[test]
fn other_names_are_errors() {
    let error = "dokcer".parse::<BackendKind>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "\"dokcer\" is not a backend; the backends are local, docker, ssh, modal, daytona, singularity"
    );
    assert!("".parse::<BackendKind>().is_err());
}
