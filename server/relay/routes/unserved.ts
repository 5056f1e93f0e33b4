// Parts of the vendors' APIs that a gateway with many users cannot serve: why, and what to use instead, in the words of an error.
import { withErrors, pathOf, type RelayHandler } from '#server/relay/entry/handler.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import type { Core } from '#server/relay/pipeline/core.ts';

type Reason = 'state_not_kept' | 'not_supported' | 'no_realtime_calls';

/** What is `state_not_kept` lies in the upstream's account, where users could not be kept apart; the rest has no codec. */
interface Unserved {
  readonly paths: RegExp;
  readonly reason: Reason;
  /** What a caller can use here for the same purpose. */
  readonly instead?: string;
}

/** Under `/v1`. */
const own = (paths: string, reason: Reason, instead?: string): Unserved => ({
  paths: new RegExp(`^/v1/(?:${paths})(?:/|$)`),
  reason,
  ...(instead === undefined ? {} : { instead }),
});
/** Under Google's versions. */
const google = (paths: string, reason: Reason, instead?: string): Unserved => ({
  paths: new RegExp(`^(?:/upload)?/v1(?:beta|alpha)/(?:${paths})(?:[/:]|$)`),
  reason,
  ...(instead === undefined ? {} : { instead }),
});
/** Verbs behind a model of Google's; its clients may write `/v1`. */
const verbs = (names: string, instead: string): Unserved => ({
  paths: new RegExp(`^/v1(?:beta|alpha)?/models/.+:(?:${names})$`),
  reason: 'not_supported',
  instead,
});

/** The first that matches counts. */
const unserved: readonly Unserved[] = [
  own('realtime/(?:calls|translations)|live', 'no_realtime_calls'),
  own('uploads', 'state_not_kept', 'POST /v1/files'),
  own('assistants|threads', 'state_not_kept', 'POST /v1/responses, /v1/conversations'),
  own('chat/completions', 'state_not_kept', 'POST /v1/responses'),
  own(
    'projects|fine[-_]tun\\w*|vector_stores|containers|skills|evals|chatkit|audio/voices' +
      '|audio/voice_consents|webhook_\\w+|safety',
    'state_not_kept',
  ),
  own('decisions', 'not_supported', 'POST /v1/responses'),
  own('content_provenance_checks|videos/(?:edits|extensions|characters)', 'not_supported'),
  own('complete', 'not_supported', 'POST /v1/messages'),
  own(
    'organizations|agents|deployments|deployment_runs|dreams|environments|memory_stores|sessions|tunnels|user_profiles|vaults',
    'state_not_kept',
  ),
  google('files|files:register', 'state_not_kept', 'inlineData'),
  google('cachedContents', 'state_not_kept', 'contents'),
  google('batches|batchPredictionJobs|interactions', 'state_not_kept', 'POST …:generateContent'),
  google('auth_tokens', 'state_not_kept', 'POST /v1/realtime/client_secrets'),
  google(
    'fileSearchStores|corpora|tunedModels|tuningJobs|operations|agents|credentials|environments|triggers|voices|webhooks',
    'state_not_kept',
  ),
  verbs('predict', 'POST /v1/images/generations'),
  verbs('predictLongRunning|fetchPredictOperation', 'POST /v1/videos'),
  verbs('batchGenerateContent', 'POST …:generateContent'),
  verbs('asyncBatchEmbedContent', 'POST …:batchEmbedContents'),
  verbs('computeTokens', 'POST …:countTokens'),
  verbs('bidiGenerateContent', 'WebSocket /v1/realtime'),
  google('models/[^/]+/operations', 'not_supported', 'GET /v1/videos/{id}'),
  // Google's Live API and its music.
  { paths: /^\/ws\/google\./, reason: 'not_supported', instead: 'WebSocket /v1/realtime' },
];

/** Undefined for a path that is of no known API. */
export function whyUnserved(path: string): RelayError | undefined {
  const found = unserved.find(({ paths }) => paths.test(path));
  return found && refusalFor(path, found);
}

/** The public code stays that of the reason. */
function refusalFor(path: string, { reason, instead }: Omit<Unserved, 'paths'>): RelayError {
  const shown = { path: path.slice(0, 200) };
  return instead === undefined
    ? new RelayError(reason, shown)
    : new RelayError('use_instead', { ...shown, instead }, { publicCode: reason });
}

/** Refuses what would change the upstream's account. */
export function refuseState(core: Core, instead?: string): RelayHandler {
  return withErrors(core, ({ request }) => {
    throw refusalFor(pathOf(request), {
      reason: 'state_not_kept',
      ...(instead === undefined ? {} : { instead }),
    });
  });
}
