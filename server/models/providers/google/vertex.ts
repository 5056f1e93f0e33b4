// Vertex AI: models of Google, Anthropic and others in the operator's Google project. The key is a service account, which
// signs a request for a token of one hour, or an API key of the express mode, which has Google's models only.
import { CHANNEL_TYPE } from '#contract/relay/channel-type.ts';
import { HOUR_SECONDS } from '#contract/time.ts';
import { messagesPath } from '#server/models/providers/anthropic/anthropic.ts';
import { knownBetas, readBetas, VERTEX_BETAS, withBetas } from '#server/models/providers/anthropic/betas.ts';
import { googleRefusal, verbOf } from './gemini.ts';
import { geminiTasks } from './gemini-tasks.ts';
import { isObject, textIn, type Json } from '#server/models/providers/shared/json.ts';
import { sha256Hex } from '#server/models/providers/signing/hashes.ts';
import { rsaToken } from '#server/models/providers/signing/jwt.ts';
import type {
  Format,
  Provider,
  ProviderChannel,
  SigningTools,
  UpstreamCall,
} from '#server/models/providers/provider.ts';
import { vertexEmbeddings } from './vertex-embeddings.ts';

const SCOPE = 'https://www.googleapis.com/auth/cloud-platform';
const TOKEN_ADDRESS = 'https://oauth2.googleapis.com/token';

const GOOGLE_FORMATS: readonly Format[] = [
  'gemini-generate',
  'openai-embeddings',
  'openai-images',
  'openai-speech',
  'video',
];

const BODY_ONLY = new Set(['context-1m-2025-08-07', 'web-search-2025-03-05']);

interface ServiceAccount {
  readonly project: string;
  readonly email: string;
  readonly privateKey: string;
  readonly privateKeyId: string;
  readonly tokenAddress: string;
}

export const vertex: Provider = {
  type: CHANNEL_TYPE.vertex,
  speaks: [...GOOGLE_FORMATS, 'anthropic-messages', 'openai-chat'],
  speaksFor(model) {
    if (isClaude(model)) return ['anthropic-messages'];
    // Models of other vendors are named vendor/model and served in OpenAI's format.
    return model.includes('/') ? ['openai-chat'] : GOOGLE_FORMATS;
  },
  reportsStreamUsage: true,
  countsTokens: true,
  decidesAddress(other) {
    const regions = regionsIn(other);
    return regions.length > 0 && regions.every(isRegion) ? regions.map(hostIn) : undefined;
  },
  url(channel, call) {
    const { model, format, isStream, path } = call;
    const region = regionOf(channel, model);
    const base = `${hostOf(channel, region)}/v1`;
    const account = accountOf(channel.key);
    if (account === undefined)
      return `${base}/publishers/google/models/${encodeURIComponent(model)}:${verbAt(call)}`;
    const place = `${base}/projects/${encodeURIComponent(account.project)}/locations/${region}`;
    if (format === 'openai-chat') return `${place}/endpoints/openapi/chat/completions`;
    if (format === 'anthropic-messages') {
      const publisher = `${place}/publishers/anthropic/models`;
      if (messagesPath(path) !== '/v1/messages') return `${publisher}/count-tokens:rawPredict`;
      return `${publisher}/${dated(model)}:${isStream ? 'streamRawPredict' : 'rawPredict'}`;
    }
    const verb = format === 'openai-embeddings' ? 'predict' : verbAt(call);
    return `${place}/publishers/google/models/${encodeURIComponent(model)}:${verb}`;
  },
  headers(channel): Record<string, string> {
    return accountOf(channel.key) === undefined ? { 'x-goog-api-key': channel.key } : {};
  },
  async authorize(channel, _request, tools): Promise<Record<string, string>> {
    const account = accountOf(channel.key);
    if (account === undefined) return {};
    return { Authorization: `Bearer ${await accessToken(channel.key, account, tools)}` };
  },
  adjust(body, { format, path, betas }, _channel, notes) {
    if (format !== 'anthropic-messages') return body;
    const { model, ...rest } = body;
    const counts = messagesPath(path) !== '/v1/messages';
    // The URL contains the model, except for counting tokens.
    return {
      anthropic_version: 'vertex-2023-10-16',
      ...withBetas(rest, betas, VERTEX_BETAS, notes),
      ...(counts ? { model: dated(String(model)) } : {}),
    };
  },
  // Some betas must also be in the header, others are refused there.
  callerHeader(name, value) {
    if (name !== 'anthropic-beta') return undefined;
    const known = knownBetas(readBetas(value), VERTEX_BETAS, []).filter((beta) => !BODY_ONLY.has(beta));
    return known.length === 0 ? undefined : known.join(',');
  },
  tasks: { ...geminiTasks, 'openai-embeddings': vertexEmbeddings },
  refusalIn: googleRefusal,
  // The publishers' catalogue lists what exists, not what the project may call.
  listing: null,
};

/** A task of videos names its verb itself. */
const verbAt = (call: UpstreamCall): string => (call.format === 'video' ? call.path.slice(1) : verbOf(call));

function isClaude(model: string): boolean {
  return model.startsWith('claude');
}

/** Anthropic ends its names with -date, Google with @date. */
function dated(model: string): string {
  return encodeURIComponent(model.replace(/-(\d{8})$/, '@$1')).replace('%40', '@');
}

function hostOf({ baseUrl }: ProviderChannel, region: string): string {
  if (baseUrl !== '') return baseUrl.replace(/\/+$/, '');
  return `https://${hostIn(region)}`;
}

const hostIn = (region: string): string =>
  region === 'global' ? 'aiplatform.googleapis.com' : `${region}-aiplatform.googleapis.com`;

/** `us-central1`, `europe-west4`, `global`, and the multi-regions `us` and `eu`. */
const isRegion = (text: string): boolean => /^[a-z]{2,}(-[a-z]+\d{1,2})?$/.test(text);

/** Every region of the field; a member that is not a text counts as malformed. */
function regionsIn(other: string): string[] {
  const given = other.trim();
  if (!given.startsWith('{')) return [given];
  try {
    const regions: unknown = JSON.parse(given);
    if (!isObject(regions)) return [];
    return Object.values(regions).map((region) => (typeof region === 'string' ? region : ''));
  } catch {
    return [];
  }
}

/** One region for all models, or JSON by model with a default. */
export function regionOf({ other }: ProviderChannel, model: string): string {
  const given = other.trim();
  const found = given.startsWith('{') ? regionIn(given, model) : given;
  return isRegion(found) ? found : 'global';
}

function regionIn(text: string, model: string): string {
  try {
    const regions: unknown = JSON.parse(text);
    return textIn(regions, model) || textIn(regions, 'default');
  } catch {
    return '';
  }
}

const accounts = new Map<string, ServiceAccount | undefined>();

/** Undefined when the key is not a service account. Cached, because parsing JSON for every call is slow. */
function accountOf(key: string): ServiceAccount | undefined {
  if (!key.trimStart().startsWith('{')) return undefined;
  if (!accounts.has(key)) {
    if (accounts.size >= 1000) accounts.clear();
    accounts.set(key, parseAccount(key));
  }
  return accounts.get(key);
}

function parseAccount(key: string): ServiceAccount | undefined {
  let value: unknown;
  try {
    value = JSON.parse(key);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  return {
    project: textIn(value, 'project_id'),
    email: textIn(value, 'client_email'),
    privateKey: textIn(value, 'private_key'),
    privateKeyId: textIn(value, 'private_key_id'),
    tokenAddress: textIn(value, 'token_uri') || TOKEN_ADDRESS,
  };
}

function accessToken(key: string, account: ServiceAccount, tools: SigningTools): Promise<string> {
  const { email, privateKeyId } = account;
  return tools.cached(`vertex ${sha256Hex(key)}`, async () => {
    const issued = Math.floor(tools.now().getTime() / 1000);
    const claims = {
      iss: email,
      sub: email,
      scope: SCOPE,
      aud: account.tokenAddress,
      iat: issued,
      exp: issued + HOUR_SECONDS,
    };
    const assertion = await rsaToken({ kid: privateKeyId }, claims, account.privateKey);
    const form = new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
      assertion,
    });
    const answer = (await tools.fetchJson(account.tokenAddress, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: form.toString(),
    })) as Json | null;
    const value = textIn(answer, 'access_token');
    if (value === '') throw new Error('no access token in the answer');
    const seconds = Number(answer?.['expires_in']) || HOUR_SECONDS;
    return { value, expiresAt: new Date((issued + seconds) * 1000) };
  });
}
