/**
 * The configuration of each client for this gateway: files, variables, fields, and the import link.
 * Base URLs differ: some clients add `/v1` and some do not.
 */
import type { PricingEntry } from '#contract/money/pricing.ts';
import { isPlainRemote, isPrivate } from './addresses.ts';
import {
  aiderConfig,
  claudeSettings,
  CODEX_KEY,
  codexConfig,
  environment,
  geminiSettings,
  opencodeConfig,
  type Connection,
} from './configurations.ts';
import { snippetOf } from './snippets.ts';

export type { Connection, System } from './configurations.ts';

export const CLIENTS = [
  'claude-code',
  'codex',
  'gemini-cli',
  'opencode',
  'aider',
  'cursor',
  'cline',
  'cherry-studio',
  'nextchat',
  'lobechat',
  'curl',
  'python',
  'node',
] as const;
export type ClientId = (typeof CLIENTS)[number];

export const CLIENT_NAMES: Record<ClientId, string> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'gemini-cli': 'Gemini CLI',
  opencode: 'opencode',
  aider: 'aider',
  cursor: 'Cursor',
  cline: 'Cline',
  'cherry-studio': 'Cherry Studio',
  nextchat: 'NextChat',
  lobechat: 'LobeChat',
  curl: 'curl',
  python: 'Python',
  node: 'Node.js',
};

export const CLIENT_GROUPS = [
  ['coding', ['claude-code', 'codex', 'gemini-cli', 'opencode', 'aider', 'cursor', 'cline']],
  ['chat', ['cherry-studio', 'nextchat', 'lobechat']],
  ['code', ['curl', 'python', 'node']],
] as const satisfies readonly (readonly [string, readonly ClientId[]])[];

/** Words in the name of a key that say what it is for. */
const NAMED: readonly (readonly [RegExp, ClientId])[] = [
  [/claude/i, 'claude-code'],
  [/codex/i, 'codex'],
  [/gemini/i, 'gemini-cli'],
  [/open-?code/i, 'opencode'],
  [/aider/i, 'aider'],
  [/cursor/i, 'cursor'],
  [/cline/i, 'cline'],
  [/cherry/i, 'cherry-studio'],
  [/next-?(?:chat|web)/i, 'nextchat'],
  [/lobe/i, 'lobechat'],
  [/curl/i, 'curl'],
  [/python|\bpy\b/i, 'python'],
  [/\bnode|\bjs\b|typescript/i, 'node'],
];

/** The client to begin with: the one that the name of the key says, else the last used. */
export function firstClient(name: string, lastUsed: string | null): ClientId {
  const named = NAMED.find(([words]) => words.test(name))?.[1];
  return named ?? CLIENTS.find((known) => known === lastUsed) ?? 'curl';
}

export type NoteId =
  | 'trustedFolder'
  | 'onlyHttps'
  | 'otherModels'
  | 'cursorServers'
  | 'cursorPrivate'
  | 'ownSite'
  | 'keyInLink';
export type FieldId = 'provider' | 'host' | 'baseUrl' | 'key' | 'model';

export type Step =
  /** Text for a file, a terminal or a program. */
  | { kind: 'text'; place: string; text: string }
  | { kind: 'terminal'; text: string }
  /** Values for the settings form of the client. */
  | { kind: 'fields'; path: string; fields: { id: FieldId; value: string }[] };

export interface Guide {
  steps: Step[];
  /** Opens the client and fills its settings. */
  link?: string;
  /** The same through CC Switch, which manages several clients. */
  ccSwitch?: string;
  notes: NoteId[];
}

/** What a client calls. Models for pictures, songs, embeddings and the like answer none of it. */
const PATHS: Partial<Record<ClientId, string>> = { codex: '/v1/responses' };
const CHAT_PATH = '/v1/chat/completions';

/** The models that a token of this group can call with a client, by name. */
export function modelsFor(client: ClientId, list: readonly PricingEntry[], group: string): PricingEntry[] {
  const path = PATHS[client] ?? CHAT_PATH;
  return list
    .filter((entry) => entry.enable_groups.includes(group) && entry.endpoints.includes(path))
    .toSorted((left, right) => (left.model_name < right.model_name ? -1 : 1));
}

/** Preferred models of each client are first; every other one works as well. */
const LIKES: Partial<Record<ClientId, RegExp>> = {
  'claude-code': /claude/i,
  codex: /codex|gpt-5/i,
  'gemini-cli': /gemini/i,
};

type Candidate = Pick<PricingEntry, 'model_name' | 'list_position'>;

/** The newest model that the client was made for, else the newest; a name that the built-in list does not know comes last. */
export function modelFor(client: ClientId, models: readonly Candidate[]): string | undefined {
  const place = ({ list_position }: Candidate) => (list_position < 0 ? Infinity : list_position);
  const newest = models.toSorted((left, right) =>
    place(left) === place(right) ? 0 : place(left) - place(right),
  );
  const likes = LIKES[client];
  return (newest.find((model) => likes?.test(model.model_name)) ?? newest[0])?.model_name;
}

/** The steps of a client, from a connection and its address with `/v1`. */
type MakeGuide = (connection: Connection, baseUrl: string) => Guide;

const textStep = (place: string, text: string): Step => ({ kind: 'text', place, text });
const lines = (...texts: string[]) => texts.join('\n');

const PROGRAMS = {
  'claude-code': (connection) => ({
    steps: [textStep('~/.claude/settings.json', claudeSettings(connection))],
    ccSwitch: ccSwitchLink('claude', connection.host, connection),
    notes: [],
  }),
  codex: (connection, baseUrl) => ({
    steps: [
      textStep('~/.codex/config.toml', codexConfig(connection)),
      { kind: 'terminal', text: environment(connection.system, [[CODEX_KEY, connection.key]], 'codex') },
    ],
    ccSwitch: ccSwitchLink('codex', baseUrl, connection),
    notes: [],
  }),
  'gemini-cli': ({ key, host, model, ...rest }) => ({
    steps: [
      // Without it the CLI asks how to sign in and does not use the key.
      textStep('~/.gemini/settings.json', geminiSettings),
      textStep(
        '~/.gemini/.env',
        lines(`GOOGLE_GEMINI_BASE_URL=${host}`, `GEMINI_API_KEY=${key}`, `GEMINI_MODEL=${model}`),
      ),
    ],
    ccSwitch: ccSwitchLink('gemini', host, { key, host, model, ...rest }),
    notes: [...(isPlainRemote(host) ? (['onlyHttps'] as const) : []), 'trustedFolder', 'otherModels'],
  }),
  opencode: (connection) => ({
    steps: [textStep('~/.config/opencode/opencode.json', opencodeConfig(connection))],
    notes: [],
  }),
  aider: (connection) => ({ steps: [textStep('~/.aider.conf.yml', aiderConfig(connection))], notes: [] }),
  cursor: ({ key, host, model }, baseUrl) => ({
    steps: [fields('Cursor Settings → Models', { key, baseUrl, model })],
    notes: isPrivate(host) ? ['cursorServers', 'cursorPrivate'] : ['cursorServers'],
  }),
  cline: ({ key, model }, baseUrl) => ({
    steps: [fields('Cline → API Configuration', { provider: 'OpenAI Compatible', baseUrl, key, model })],
    notes: [],
  }),
  'cherry-studio': (connection) => ({
    steps: [
      fields('Settings → Model Provider', {
        provider: 'New API',
        key: connection.key,
        host: connection.host,
        model: connection.model,
      }),
    ],
    link: cherryLink(connection),
    notes: [],
  }),
  nextchat: ({ key, host, model }) => ({
    steps: [
      textStep('.env', lines(`BASE_URL=${host}`, `OPENAI_API_KEY=${key}`, `CUSTOM_MODELS=+${model}`)),
      textStep(
        'https://<NextChat>/',
        `#/?settings=${encodeURIComponent(JSON.stringify({ key, url: host }))}`,
      ),
    ],
    notes: ['ownSite', 'keyInLink'],
  }),
  lobechat: ({ key, host, model }) => ({
    steps: [
      textStep('.env', lines(`NEWAPI_PROXY_URL=${host}`, `NEWAPI_API_KEY=${key}`)),
      fields('Settings → AI Service Provider → New API', { host, key, model }),
    ],
    notes: ['ownSite'],
  }),
  curl: ({ key, model }, baseUrl) => ({
    steps: [{ kind: 'terminal', text: snippetOf('curl', { key, baseUrl, model }) }],
    notes: [],
  }),
  python: ({ key, model }, baseUrl) => ({
    steps: [textStep('call.py', snippetOf('python', { key, baseUrl, model }))],
    notes: [],
  }),
  node: ({ key, model }, baseUrl) => ({
    steps: [textStep('call.mjs', snippetOf('node', { key, baseUrl, model }))],
    notes: [],
  }),
} as const satisfies Record<ClientId, MakeGuide>;

export function guideOf(client: ClientId, connection: Connection): Guide {
  return PROGRAMS[client](connection, `${connection.host}/v1`);
}

function fields(path: string, values: Partial<Record<FieldId, string>>): Step {
  const entries = Object.entries(values) as [FieldId, string][];
  return { kind: 'fields', path, fields: entries.map(([id, value]) => ({ id, value })) };
}

function base64(value: unknown): string {
  // UTF-8 first: a name may contain non-Latin letters.
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
}

function cherryLink({ key, host, siteName }: Connection): string {
  const data = base64({ id: 'new-api', baseUrl: host, apiKey: key, name: siteName, type: 'new-api' });
  return `cherrystudio://providers/api-keys?v=1&data=${encodeURIComponent(data)}`;
}

function ccSwitchLink(
  app: 'claude' | 'codex' | 'gemini',
  endpoint: string,
  { key, host, model, siteName }: Connection,
): string {
  const query = new URLSearchParams({
    resource: 'provider',
    app,
    name: siteName,
    endpoint,
    apiKey: key,
    homepage: host,
    model,
    ...(app === 'claude' ? { haikuModel: model, sonnetModel: model, opusModel: model } : {}),
  });
  // Spaces as %20: applications do not decode a plus.
  return `ccswitch://v1/import?${query.toString().replaceAll('+', '%20')}`;
}
