//! The tables behind `blocklist`, in upper case.
//!
//! Data only: no look-ups and nothing that depends on configuration, so that no configuration can
//! shrink a table.

/// Services that an agent, and not its commands, is a client of. Together with a suffix of
/// [`PROVIDER_SUFFIXES`] each makes a fixed name (`GROQ` + `API_KEY`).
#[rustfmt::skip]
pub(super) const PROVIDERS: &[&str] = &[
    // Language models.
    "OPENAI", "OPENROUTER", "ANTHROPIC", "GOOGLE", "GOOGLE_AI", "GOOGLE_GENERATIVE_AI", "GEMINI",
    "VERTEX", "VERTEXAI", "VERTEX_AI", "DEEPSEEK", "MISTRAL", "MISTRALAI", "CODESTRAL", "GROQ",
    "TOGETHER", "TOGETHERAI", "TOGETHER_AI", "PERPLEXITY", "PERPLEXITYAI", "PPLX", "COHERE", "CO",
    "FIREWORKS", "FIREWORKSAI", "FIREWORKS_AI", "XAI", "X_AI", "GROK", "MOONSHOT", "KIMI",
    "KIMI_CN", "KIMI_CODING", "ZAI", "Z_AI", "GLM", "ZHIPU", "ZHIPUAI", "BIGMODEL", "MINIMAX",
    "MINIMAX_CN", "DASHSCOPE", "QWEN", "ALIBABA", "ALIBABA_CODING_PLAN", "BAILIAN", "NVIDIA",
    "NVIDIA_NIM", "NIM", "NGC", "HF", "HUGGINGFACE", "HUGGINGFACEHUB", "HUGGING_FACE",
    "HUGGINGFACE_HUB", "HUGGING_FACE_HUB", "AZURE_OPENAI", "AZURE_AI", "AZURE_INFERENCE",
    "AZURE_FOUNDRY", "AZURE_ANTHROPIC", "BEDROCK", "CEREBRAS", "REPLICATE", "SAMBANOVA", "NOVITA",
    "HYPERBOLIC", "DEEPINFRA", "ANYSCALE", "BASETEN", "LEPTON", "AI21", "ALEPH_ALPHA", "WATSONX",
    "NEBIUS", "SILICONFLOW", "VOLCENGINE", "ARK", "DOUBAO", "HUNYUAN", "BAICHUAN", "QIANFAN",
    "LINGYI", "STEPFUN", "XIAOMI", "ARCEE", "ARCEEAI", "NOUS", "GMI", "VENICE", "CHUTES",
    "FEATHERLESS", "FRIENDLI", "INFERENCE_NET", "UPSTAGE", "WRITER", "REKA", "INFLECTION",
    "LAMBDA_AI", "META_LLAMA", "LLAMA_API", "LLAMA_CLOUD", "OLLAMA", "LMSTUDIO", "LM_STUDIO",
    "VLLM", "LITELLM", "HELICONE", "PORTKEY", "AI_GATEWAY", "VERCEL_AI_GATEWAY", "CLOUDFLARE_AI",
    "KILOCODE", "OPENCODE", "OPENCODE_ZEN", "OPENCODE_GO", "COPILOT", "CURSOR", "LLM",
    // Search, fetch and browsers.
    "PARALLEL", "FIRECRAWL", "TAVILY", "EXA", "SERPER", "SERPAPI", "SERP", "SEARCHAPI", "SEARXNG",
    "BRAVE", "BRAVE_SEARCH", "BING", "BING_SEARCH", "KAGI", "LINKUP", "YOU", "YDC", "JINA",
    "JINAAI", "JINA_AI", "BROWSERBASE", "BROWSER_USE", "STEEL", "HYPERBROWSER", "CAMOFOX",
    "SCRAPINGBEE", "SCRAPERAPI", "APIFY", "DIFFBOT", "BRIGHTDATA", "COMPOSIO",
    // Pictures, sound and film.
    "STABILITY", "STABILITY_AI", "STABILITYAI", "ELEVENLABS", "ELEVEN_LABS", "ELEVEN", "XI", "FAL",
    "FAL_AI", "DEEPGRAM", "ASSEMBLYAI", "CARTESIA", "PLAYHT", "PLAY_HT", "SPEECHIFY", "RUNWAY",
    "RUNWAYML", "LUMA", "LUMAAI", "IDEOGRAM", "BFL", "LEONARDO", "RECRAFT", "HEYGEN", "SUNO",
    "VOICE_TOOLS_OPENAI",
    // Embeddings and memory.
    "VOYAGE", "VOYAGEAI", "VOYAGE_AI", "NOMIC", "MIXEDBREAD", "HONCHO", "MEM0", "SUPERMEMORY",
    "ZEP", "LETTA",
];

/// What a provider's variables are called after its name. The addresses are withheld with the
/// keys: an address that points at a private proxy is often as good as a key.
#[rustfmt::skip]
pub(super) const PROVIDER_SUFFIXES: &[&str] = &[
    "API_KEY", "API_KEYS", "APIKEY", "KEY", "API_TOKEN", "TOKEN", "AUTH_TOKEN", "ACCESS_TOKEN",
    "OAUTH_TOKEN", "API_SECRET", "SECRET", "SECRET_KEY", "BASE_URL", "BASEURL", "API_BASE",
    "API_BASE_URL", "API_URL",
];

/// Chat services whose names are too common as first words to withhold everything after them
/// (`MATRIX_` is what CI systems call a build matrix).
#[rustfmt::skip]
pub(super) const CHAT: &[&str] = &[
    "MATRIX", "MATTERMOST", "TWILIO", "SMS", "DINGTALK", "FEISHU", "LARK", "WECOM",
    "WECOM_CALLBACK", "WEIXIN", "WECHAT", "QQ", "QQBOT", "BLUEBUBBLES", "TEAMS", "MSTEAMS",
    "MSGRAPH", "LINE", "ROCKETCHAT", "ZULIP", "XMPP", "IRC", "GOOGLE_CHAT", "YUANBAO", "NTFY",
    "WEBHOOK", "API_SERVER", "GATEWAY",
];

/// What a chat service's variables are called after its name.
#[rustfmt::skip]
pub(super) const CHAT_SUFFIXES: &[&str] = &[
    "TOKEN", "BOT_TOKEN", "APP_TOKEN", "ACCESS_TOKEN", "AUTH_TOKEN", "REFRESH_TOKEN", "SECRET",
    "APP_SECRET", "CLIENT_SECRET", "SIGNING_SECRET", "BOT_SECRET", "CORP_SECRET", "PASSWORD",
    "APP_ID", "CLIENT_ID", "BOT_ID", "CORP_ID", "AGENT_ID", "TENANT_ID", "ACCOUNT_ID",
    "ACCOUNT_SID", "PHONE_NUMBER", "USER_ID", "DEVICE_ID", "HOMESERVER", "KEY", "API_KEY",
    "RECOVERY_KEY", "ENCRYPT_KEY", "ENCODING_AES_KEY", "VERIFICATION_TOKEN", "WEBHOOK_URL",
    "HOME_CHANNEL", "HOME_CHANNEL_NAME", "HOME_CHANNEL_THREAD_ID", "HOME_ROOM", "ALLOWED_USERS",
    "ALLOWED_CHANNELS", "ALLOWED_ROOMS", "ALLOWED_CHATS", "ALLOW_ALL_USERS", "GROUP_ALLOWED_USERS",
    "GROUP_POLICY", "DM_POLICY",
];

/// Everything that starts like this belongs to the agent's gateway.
#[rustfmt::skip]
pub(super) const PREFIXES: &[&str] = &[
    "TELEGRAM_", "DISCORD_", "SLACK_", "WHATSAPP_", "SIGNAL_", "HASS_", "EMAIL_", "GITHUB_APP_",
    "GATEWAY_RELAY_",
];

/// Names that follow no rule.
#[rustfmt::skip]
pub(super) const NAMES: &[&str] = &[
    "OPENAI_ORG_ID", "OPENAI_ORGANIZATION", "OPENAI_PROJECT", "OPENAI_PROJECT_ID",
    "OPENAI_WEBHOOK_SECRET", "OPENAI_ADMIN_KEY", "ANTHROPIC_ADMIN_KEY", "ANTHROPIC_CUSTOM_HEADERS",
    "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_AD_TOKEN", "AZURE_AI_ENDPOINT",
    "AZURE_INFERENCE_ENDPOINT", "AZURE_INFERENCE_CREDENTIAL", "WATSONX_PROJECT_ID", "LLM_MODEL",
    "VERTEX_CREDENTIALS_PATH", "GOOGLE_APPLICATION_CREDENTIALS",
    "GOOGLE_APPLICATION_CREDENTIALS_JSON", "AWS_BEARER_TOKEN_BEDROCK", "COPILOT_GITHUB_TOKEN",
    "GH_TOKEN", "GITHUB_TOKEN", "GITHUB_PAT", "GITHUB_PERSONAL_ACCESS_TOKEN", "GH_ENTERPRISE_TOKEN",
    "GITHUB_ENTERPRISE_TOKEN", "MODAL_TOKEN_ID", "MODAL_TOKEN_SECRET", "DAYTONA_API_KEY",
    "DAYTONA_JWT_TOKEN", "DAYTONA_ORGANIZATION_ID", "SUDO_PASSWORD",
    "HERMES_DASHBOARD_SESSION_TOKEN", "BROWSERBASE_PROJECT_ID", "BROWSER_CDP_URL", "SEARXNG_URL",
    "CAMOFOX_URL", "BLUEBUBBLES_SERVER_URL", "MATTERMOST_URL", "GOOGLE_CSE_ID", "GOOGLE_CX",
    "PLAYHT_USER_ID", "PLAY_HT_USER_ID",
];

/// The last words of names that hold a credential, whoever made them up.
#[rustfmt::skip]
pub(super) const CREDENTIAL_WORDS: &[&str] = &[
    "API_KEY", "API_KEYS", "APIKEY", "ACCESS_KEY", "SECRET", "SECRETS", "SECRET_KEY", "TOKEN",
    "ACCESS_TOKEN", "AUTH_TOKEN", "AUTHTOKEN", "PASSWORD", "PASSWD", "PASSPHRASE", "PRIVATE_KEY",
    "CREDENTIALS",
];

/// Passwords whose programs gave them a name without an underscore.
pub(super) const CREDENTIAL_NAMES: &[&str] =
    &["PGPASSWORD", "MYSQL_PWD", "SSHPASS", "REDISCLI_AUTH"];

/// Settings of the terminal tool, without their `TERMINAL_`.
#[rustfmt::skip]
pub(super) const TERMINAL_NAMES: &[&str] = &[
    "ENV", "CWD", "TIMEOUT", "LIFETIME_SECONDS", "MAX_FOREGROUND_TIMEOUT", "DISK_WARNING_GB",
    "DAEMON_TERM_GRACE_SECONDS", "ENV_PASSTHROUGH", "CREDENTIAL_FILES", "HOME_MODE",
    "SHELL_INIT_FILES", "AUTO_SOURCE_BASHRC", "PERSISTENT_SHELL", "SANDBOX_DIR", "SCRATCH_DIR",
    "BACKEND", "SHELL", "SUDO_PASSWORD",
];

/// Groups of settings of the terminal tool, without their `TERMINAL_`.
#[rustfmt::skip]
pub(super) const TERMINAL_GROUPS: &[&str] = &[
    "DOCKER_", "SINGULARITY_", "MODAL_", "DAYTONA_", "SSH_", "CONTAINER_", "LOCAL_",
];
