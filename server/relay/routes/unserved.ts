// Parts of the vendors' APIs that a gateway with many users cannot serve: why, in the words of an error.
import { RelayError } from '#server/relay/errors/relay-error.ts';

/** What these keep lies in the upstream's account, where users could not be kept apart. */
const ofOpenAi =
  'uploads|projects|fine[-_]tun\\w*|assistants|threads|vector_stores|organization|containers|skills|evals|chatkit' +
  '|chat/completions';
const ofAnthropic =
  'organizations|agents|deployments|deployment_runs|dreams|environments|memory_stores|sessions|tunnels|user_profiles|vaults|files';
const ofGoogle =
  'files|files:register|cachedContents|batches|batchPredictionJobs|fileSearchStores|corpora|tunedModels|tuningJobs|operations|auth_tokens|interactions|agents';
const keepsState = new RegExp(
  `^/v1/(?:${ofOpenAi}|${ofAnthropic})(?:/|$)|^(?:/upload)?/v1(?:beta|alpha)/(?:${ofGoogle})(?:[/:]|$)`,
);
const realtimeCalls = /^\/v1\/realtime\/(?:calls|translations)(?:\/|$)/;
const verbs =
  'predict|predictLongRunning|batchGenerateContent|asyncBatchEmbedContent|computeTokens|fetchPredictOperation|bidiGenerateContent';
/** No codec has these. */
const hasNoCodec = new RegExp(
  `^/v1/videos/(?:edits|extensions|characters)(?:/|$)|^/v1(?:beta|alpha)?/models/.+:(?:${verbs})$|^/v1(?:beta|alpha)/models/[^/]+/operations/`,
);

/** Undefined for a path that is of no known API. */
export function whyUnserved(path: string): RelayError | undefined {
  if (realtimeCalls.test(path)) return new RelayError('no_realtime_calls');
  if (keepsState.test(path)) return new RelayError('state_not_kept', { path: path.slice(0, 200) });
  return hasNoCodec.test(path) ? new RelayError('not_supported') : undefined;
}
