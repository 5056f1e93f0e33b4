// Asks an upstream which models it has, for a saved channel or for form values.
import type { Handler } from '#server/admin/context.ts';
import type { channelUpstream } from '#contract/relay/channel-upstream.ts';
import { AppError } from '#contract/errors.ts';
import { providerOf } from '#server/models/providers/index.ts';
import { channelRow } from './change.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { factsOf } from './types.ts';
import {
  addressBelow,
  callUpstream,
  draftTarget,
  providerChannel,
  targetOf,
  type UpstreamTarget,
  failureOf,
} from './upstream.ts';

const TIMEOUT_SECONDS = 20;
const LONGEST_NAME = 255;

export function fetchModels(dependencies: UpstreamDependencies): Handler<typeof channelUpstream.fetchModels> {
  return async ({ params }) => {
    const row = await channelRow(dependencies, params.id);
    return listModels(dependencies, targetOf(dependencies, row));
  };
}

export function fetchDraftModels(
  dependencies: UpstreamDependencies,
): Handler<typeof channelUpstream.fetchDraftModels> {
  return async ({ body }) => listModels(dependencies, await draftTarget(dependencies, body));
}

async function listModels(dependencies: UpstreamDependencies, target: UpstreamTarget): Promise<string[]> {
  const provider = providerOf(target.type);
  if (!provider || provider.listing === null) {
    throw new AppError('channel_list_unsupported', { name: factsOf(target.type)?.name ?? target.type });
  }
  const { listing } = provider;
  const url = listing?.url(providerChannel(target)) ?? addressBelow(target, '/v1/models');
  const answer = await callUpstream(dependencies, target, { url, timeoutSeconds: TIMEOUT_SECONDS });
  if (!answer.isOk) throw failureOf('channel_list_failed', answer);
  const names = listing === undefined ? idsOf(answer.value) : listing.names(answer.value);
  if (names === undefined) throw new AppError('channel_list_failed', { detail: 'no list in the answer' });
  const usable = names.filter(
    (name): name is string =>
      typeof name === 'string' && name !== '' && name.length <= LONGEST_NAME && !/[,\s]/.test(name),
  );
  return [...new Set(usable)].sort();
}

function idsOf(answer: unknown): readonly unknown[] | undefined {
  const { data } = answer as { data?: unknown };
  if (!Array.isArray(data)) return undefined;
  return data.map((entry: unknown) =>
    typeof entry === 'object' && entry !== null && 'id' in entry ? entry.id : undefined,
  );
}
