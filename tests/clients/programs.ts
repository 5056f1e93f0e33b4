// The command-line clients: their package, how they run without a person, and the tool that a model may ask them for or the edit
// that it may write.
import type { ClientId } from '#web/features/tokens/connect/clients.ts';
import type { MockToolCall } from '#mock/upstream/behaviour.ts';

export interface Program {
  client: ClientId;
  package: string;
  registry: 'npm' | 'PyPI';
  binary: string;
  /** The arguments behind the program of the wizard's last step. */
  arguments(prompt: string): readonly string[];
  /** Without telemetry, updates and questions, by the client's documented variables. */
  environment: Readonly<Record<string, string>>;
  /** Files of the home folder beside those of the wizard. */
  files?: Readonly<Record<string, string>>;
  /** Calls that show the client's note; the name and arguments differ between versions, and the first one offered is used. */
  readNote?: (file: string) => readonly MockToolCall[];
  /** For a client without tools: an answer that makes it write the word into the note of its working folder. */
  writeNote?: (word: string) => string;
}

const call = (name: string, given: unknown): MockToolCall => ({ name, arguments: JSON.stringify(given) });

const CODEX_OPTIONS = [
  'analytics.enabled=false',
  'check_for_update_on_startup=false',
  'features.apps=false',
  'features.plugins=false',
];

export const programs: readonly Program[] = [
  {
    client: 'claude-code',
    package: '@anthropic-ai/claude-code',
    registry: 'npm',
    binary: 'claude',
    arguments: (prompt) => ['-p', prompt, '--allowedTools', 'Read'],
    environment: {
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
    },
    readNote: (file) => [call('Read', { file_path: file })],
  },
  {
    client: 'codex',
    package: '@openai/codex',
    registry: 'npm',
    binary: 'codex',
    arguments: (prompt) => [
      'exec',
      '--skip-git-repo-check',
      // Its sandbox needs rights of the kernel that a container may lack; the only command prints a file.
      '--dangerously-bypass-approvals-and-sandbox',
      ...CODEX_OPTIONS.flatMap((option) => ['-c', option]),
      prompt,
    ],
    environment: {},
    readNote: (file) => [
      call('exec_command', { cmd: `cat ${file}` }),
      call('shell_command', { command: `cat ${file}` }),
      call('shell', { command: ['cat', file] }),
    ],
  },
  {
    client: 'gemini-cli',
    package: '@google/gemini-cli',
    registry: 'npm',
    binary: 'gemini',
    arguments: (prompt) => ['-p', prompt, '--approval-mode', 'yolo'],
    environment: {
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      GEMINI_TELEMETRY_ENABLED: 'false',
      GEMINI_CLI_SYSTEM_SETTINGS_PATH: '~/system-settings.json',
    },
    files: {
      'system-settings.json': JSON.stringify({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
      }),
    },
    readNote: (file) => [call('read_file', { file_path: file })],
  },
  {
    client: 'opencode',
    package: 'opencode-ai',
    registry: 'npm',
    binary: 'opencode',
    arguments: (prompt) => ['run', prompt],
    environment: {
      OPENCODE_DISABLE_AUTOUPDATE: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
      OPENCODE_DISABLE_MODELS_FETCH: '1',
    },
    readNote: (file) => [call('read', { filePath: file })],
  },
  {
    client: 'aider',
    package: 'aider-chat',
    registry: 'PyPI',
    binary: 'aider',
    arguments: (prompt) => [
      '--yes-always',
      '--no-git',
      '--no-check-update',
      '--analytics-disable',
      '--no-show-model-warnings',
      '--edit-format=whole',
      `--message=${prompt}`,
      'note.txt',
    ],
    environment: { LITELLM_LOCAL_MODEL_COST_MAP: 'True' },
    writeNote: (word) => `note.txt\n\`\`\`\n${word}\n\`\`\`\n`,
  },
];
