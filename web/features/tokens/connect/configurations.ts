// The files of clients, and the variables that they read.

export type System = 'posix' | 'windows';

export interface Connection {
  /** With prefix. */
  key: string;
  /** Without `/v1` and without a slash at its end. */
  host: string;
  model: string;
  /** The name of the installation. */
  siteName: string;
  system: System;
}

/** Sets the small background model too: its default may not be served here. */
export function claudeSettings({ key, host, model }: Connection): string {
  const env = {
    ANTHROPIC_BASE_URL: host,
    ANTHROPIC_AUTH_TOKEN: key,
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
  };
  return JSON.stringify({ env }, null, 2);
}

export const geminiSettings = JSON.stringify(
  { security: { auth: { selectedType: 'gemini-api-key' } } },
  null,
  2,
);

export const CODEX_KEY = 'TOLLGATE_API_KEY';

export function codexConfig({ host, model, siteName }: Connection): string {
  // A TOML basic string has the same escapes as JSON.
  const quoted = (text: string) => JSON.stringify(text);
  return [
    `model = ${quoted(model)}`,
    'model_provider = "tollgate"',
    '',
    '[model_providers.tollgate]',
    `name = ${quoted(siteName)}`,
    `base_url = ${quoted(`${host}/v1`)}`,
    `env_key = "${CODEX_KEY}"`,
    'wire_api = "responses"',
  ].join('\n');
}

/** Both models are named: the small one writes titles, and its default may not be served here. */
export function opencodeConfig({ key, host, model, siteName }: Connection): string {
  const provider = {
    npm: '@ai-sdk/openai-compatible',
    name: siteName,
    options: { baseURL: `${host}/v1`, apiKey: key },
    models: { [model]: { name: model } },
  };
  const chosen = `tollgate/${model}`;
  const $schema = 'https://opencode.ai/config.json';
  return JSON.stringify(
    { $schema, provider: { tollgate: provider }, model: chosen, small_model: chosen },
    null,
    2,
  );
}

/** `openai/` is how aider speaks to the address; the weak model writes summaries, and its default may not be served here. */
export function aiderConfig({ key, host, model }: Connection): string {
  // A YAML string in double quotes has the same escapes as JSON.
  const chosen = JSON.stringify(`openai/${model}`);
  return [
    `model: ${chosen}`,
    `weak-model: ${chosen}`,
    `openai-api-base: ${JSON.stringify(`${host}/v1`)}`,
    `openai-api-key: ${JSON.stringify(key)}`,
  ].join('\n');
}

/** Variables for this terminal, then the program. */
export function environment(
  system: System,
  variables: readonly (readonly [string, string])[],
  program: string,
) {
  const lines = variables.map(([name, value]) =>
    system === 'windows'
      ? `$env:${name} = '${value.replaceAll("'", "''")}'`
      : `export ${name}='${value.replaceAll("'", "'\\''")}'`,
  );
  return [...lines, program].join('\n');
}
