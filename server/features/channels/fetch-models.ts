// Asks an upstream which models it has, for a saved channel or for form values.
import type { channelUpstream } from '#contract/channel-upstream.ts';
import type { Input } from '#contract/endpoint.ts';
import { AppError } from '#contract/errors.ts';
import { providerOf } from '#server/providers/index.ts';
import { channelRow } from './change.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { factsOf } from './types.ts';
import { addressBelow, callUpstream, draftTarget, targetOf, type UpstreamTarget } from './upstream.ts';

const TIMEOUT_SECONDS = 20;
const LONGEST_NAME = 255;

export function fetchModels(dependencies: UpstreamDependencies) {
  return async ({ params }: Input<typeof channelUpstream.fetchModels>): Promise<string[]> => {
    const row = await channelRow(dependencies, params.id);
    return listModels(dependencies, targetOf(dependencies, row));
  };
}

export function fetchDraftModels(dependencies: UpstreamDependencies) {
  return async ({ body }: Input<typeof channelUpstream.fetchDraftModels>): Promise<string[]> =>
    listModels(dependencies, await draftTarget(dependencies, body));
}

async function listModels(dependencies: UpstreamDependencies, target: UpstreamTarget): Promise<string[]> {
  if (!providerOf(target.type)) {
    throw new AppError('channel_list_unsupported', { name: factsOf(target.type)?.name ?? target.type });
  }
  const url = addressBelow(target, '/v1/models');
  const answer = await callUpstream(dependencies, target, { url, timeoutSeconds: TIMEOUT_SECONDS });
  if (!answer.isOk) throw new AppError('channel_list_failed', { detail: answer.detail });
  const { data } = answer.value as { data?: unknown };
  if (!Array.isArray(data)) throw new AppError('channel_list_failed', { detail: 'no list in the answer' });
  const names = data.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined,
  );
  const usable = names.filter(
    (name): name is string =>
      typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME && !/[,\s]/.test(name),
  );
  return [...new Set(usable)].sort();
}
