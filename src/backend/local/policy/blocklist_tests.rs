use super::*;

#[test]
fn known_services_are_fixed() {
    #[rustfmt::skip]
    let names = [
        "OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_API_BASE", "OPENAI_ORG_ID",
        "OPENAI_ORGANIZATION", "OPENROUTER_API_KEY", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL",
        "ANTHROPIC_TOKEN", "ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY", "GEMINI_API_KEY",
        "DEEPSEEK_API_KEY", "MISTRAL_API_KEY", "GROQ_API_KEY", "TOGETHER_API_KEY",
        "PERPLEXITY_API_KEY", "COHERE_API_KEY", "FIREWORKS_API_KEY", "XAI_API_KEY",
        "HELICONE_API_KEY", "PARALLEL_API_KEY", "FIRECRAWL_API_KEY", "FIRECRAWL_API_URL",
        "KIMI_API_KEY", "GLM_BASE_URL", "MINIMAX_CN_API_KEY", "DASHSCOPE_API_KEY", "NVIDIA_API_KEY",
        "HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "AZURE_OPENAI_API_KEY", "AZURE_OPENAI_ENDPOINT",
        "CEREBRAS_API_KEY", "REPLICATE_API_TOKEN", "STABILITY_API_KEY", "ELEVENLABS_API_KEY",
        "TAVILY_API_KEY", "EXA_API_KEY", "SERPER_API_KEY", "BRAVE_API_KEY", "BRAVE_SEARCH_API_KEY",
        "BROWSERBASE_API_KEY", "BROWSERBASE_PROJECT_ID", "FAL_KEY", "VOYAGE_API_KEY",
        "JINA_API_KEY", "LLM_MODEL", "VERTEX_CREDENTIALS_PATH", "GOOGLE_APPLICATION_CREDENTIALS",
        "AWS_BEARER_TOKEN_BEDROCK", "TELEGRAM_BOT_TOKEN", "TELEGRAM_HOME_CHANNEL",
        "DISCORD_ALLOWED_USERS", "SLACK_APP_TOKEN", "WHATSAPP_ENABLED", "SIGNAL_ACCOUNT",
        "HASS_URL", "HASS_TOKEN", "EMAIL_PASSWORD", "EMAIL_ADDRESS",
        "HERMES_DASHBOARD_SESSION_TOKEN", "GATEWAY_ALLOWED_USERS", "GH_TOKEN", "GITHUB_TOKEN",
        "GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY_PATH", "MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET",
        "DAYTONA_API_KEY", "DAYTONA_JWT_TOKEN", "GATEWAY_RELAY_URL", "SUDO_PASSWORD",
        "MATRIX_ACCESS_TOKEN", "TWILIO_AUTH_TOKEN",
    ];
    for name in names {
        assert!(is_fixed(name), "{name}");
    }
}

#[test]
fn ordinary_names_are_not_fixed() {
    #[rustfmt::skip]
    let names = [
        "PATH", "HOME", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
        "CLAUDE_CODE_OAUTH_TOKEN", "GITHUB_ACTIONS", "GITHUB_SHA", "NVIDIA_VISIBLE_DEVICES",
        "HF_HOME", "OLLAMA_HOST", "GOOGLE_CLOUD_PROJECT", "MATRIX_OS", "GATEWAY_PORT",
        "AZURE_CLIENT_SECRET", "GOOGLE_CLIENT_SECRET", "MYOPENAI_API_KEY", "OPENAI_API_KEYRING",
    ];
    for name in names {
        assert!(!is_fixed(name), "{name}");
    }
}

#[test]
fn dynamic_names_need_both_ends() {
    for name in [
        "AUXILIARY_VISION_API_KEY",
        "AUXILIARY_X_Y_BASE_URL",
        "GATEWAY_RELAY_A_SECRET",
        "GATEWAY_RELAY_A_KEY",
        "GATEWAY_RELAY_A_TOKEN",
        "GATEWAY_RELAY_TOKEN",
    ] {
        assert!(is_dynamic(name), "{name}");
    }
    for name in ["AUXILIARY_VISION_MODEL", "GATEWAY_RELAY_URL", "MY_AUXILIARY_X_API_KEY"] {
        assert!(!is_dynamic(name), "{name}");
    }
}

#[test]
fn credentials_are_recognised_by_their_last_word() {
    #[rustfmt::skip]
    let names = [
        "FOO_API_KEY", "FOO_APIKEY", "RELAY_X_SECRET", "FOO_SECRET_KEY", "NPM_TOKEN", "A_PASSWORD",
        "A_PASSWD", "A_PRIVATE_KEY", "A_CREDENTIALS", "TOKEN", "PASSWORD", "PGPASSWORD",
        "R2_SECRET_ACCESS_KEY", "NPM_CONFIG_//REGISTRY.NPMJS.ORG/:_AUTHTOKEN",
    ];
    for name in names {
        assert!(is_credential_like(name), "{name}");
    }
    #[rustfmt::skip]
    let names = [
        "HF_TOKENIZER", "TOKENIZERS_PARALLELISM", "LLM_MAX_TOKENS", "SSH_AUTH_SOCK", "MONKEY",
        "KEYBOARD", "SECRETARY", "AWS_SESSION_TOKEN", "CLAUDE_CODE_OAUTH_TOKEN", "TOKEN_FILE",
        "BASH_FUNC_GET_TOKEN%%",
    ];
    for name in names {
        assert!(!is_credential_like(name), "{name}");
    }
}

#[test]
fn only_known_terminal_names_are_settings() {
    for name in ["TERMINAL_ENV", "TERMINAL_DOCKER_ENV", "TERMINAL_SSH_KEY", "TERMINAL_SANDBOX_DIR"]
    {
        assert!(is_terminal_setting(name), "{name}");
    }
    for name in ["TERMINAL_EMULATOR", "TERMINAL", "XTERMINAL_ENV", "TERMINAL_"] {
        assert!(!is_terminal_setting(name), "{name}");
    }
}
