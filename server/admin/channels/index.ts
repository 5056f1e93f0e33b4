// Channels: configured upstreams. Keys are stored sealed and shown only by the reveal, which asks for the password. Every
// change is announced, so that the relay of every node reloads.
import type { channels } from '#contract/relay/channels.ts';
import type { channelUpstream } from '#contract/relay/channel-upstream.ts';
import type { Handlers } from '#server/admin/context.ts';
import type { Output } from '#contract/endpoint.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { createTokenCache } from '#server/models/providers/signing/tools.ts';
import { changeChannel, readChannel } from './change.ts';
import { copyChannel } from './copy.ts';
import { createChannels } from './create.ts';
import { updateBalance, updateBalances } from './balance.ts';
import type { ChannelDependencies, UpstreamDependencies } from './dependencies.ts';
import { fetchDraftModels, fetchModels } from './fetch-models.ts';
import { impactOfChange } from './impact.ts';
import { learnFormatsOf } from './learn-formats.ts';
import { listChannels } from './list.ts';
import {
  fixChannels,
  removeChannel,
  removeChannels,
  removeDisabledChannels,
  restoreChannels,
  setChannelStatus,
  tagChannels,
} from './many.ts';
import { revealChannelKey } from './reveal.ts';
import { simulateRoute } from './route.ts';
import { changeTag, disableTag, enableTag } from './tags.ts';
import { createTestRuns } from './test-all.ts';
import { askChannel, testChannel, testDraft, type ChannelQuestion } from './test.ts';
import type { TestOutcome } from './test-call.ts';
import { unpricedModels } from './unpriced.ts';

export type { ChannelDependencies, UpstreamDependencies } from './dependencies.ts';
export { channelTypes } from './types.ts';

/** The creation date of every model object, as compatible gateways send it. */
const MODEL_CREATED = 1_626_777_600;

export function createChannelHandlers(dependencies: ChannelDependencies): Handlers<typeof channels> {
  return {
    list: listChannels(dependencies),
    search: listChannels(dependencies),
    types: () => [...dependencies.types],
    models: () => knownModels(dependencies),
    unpriced: unpricedModels(dependencies),
    read: readChannel(dependencies),
    create: createChannels(dependencies),
    change: changeChannel(dependencies),
    copy: copyChannel(dependencies),
    remove: removeChannel(dependencies),
    restore: restoreChannels(dependencies),
    removeDisabled: removeDisabledChannels(dependencies),
    removeMany: removeChannels(dependencies),
    setStatus: setChannelStatus(dependencies),
    tagMany: tagChannels(dependencies),
    fix: fixChannels(dependencies),
    enableTag: enableTag(dependencies),
    disableTag: disableTag(dependencies),
    changeTag: changeTag(dependencies),
    revealKey: revealChannelKey(dependencies),
    impact: impactOfChange(dependencies),
    groups: () => Object.keys(dependencies.settings.current.GroupRatio),
    modelsByType: () => Object.fromEntries(dependencies.types.map(({ type, models }) => [type, models])),
    route: simulateRoute(dependencies),
  };
}

/** Each name once, with the first type that lists it. */
function knownModels({ types }: ChannelDependencies): Output<typeof channels.models> {
  const owners = new Map<string, string>();
  for (const { name, models } of types) {
    for (const model of models) if (!owners.has(model)) owners.set(model, name);
  }
  return [...owners].map(([id, owned_by]) => ({ id, object: 'model', created: MODEL_CREATED, owned_by }));
}

export interface ChannelUpstream {
  handlers: Handlers<typeof channelUpstream>;
  /** Tests all channels; a job runs it. */
  testAll(signal: AbortSignal): Promise<void>;
  /** Asks a question in the name of the site; no user is charged. */
  ask(question: ChannelQuestion): Promise<TestOutcome>;
  /** Learns which formats the upstream of new channels accepts. */
  readonly learnFormats: (rows: readonly Row<'channels'>[]) => void;
  /** Waits for the test that runs; the rest of a test of all channels is given up. */
  close(): Promise<void>;
}

/** Endpoints that send requests to a channel's upstream. */
export function createChannelUpstream(parts: Omit<UpstreamDependencies, 'tokenCache'>): ChannelUpstream {
  const dependencies = { ...parts, tokenCache: createTokenCache() };
  const runs = createTestRuns(dependencies);
  return {
    handlers: {
      test: testChannel(dependencies),
      testAll: (input, context) => runs.start(input, context),
      testRun: (_, { language }) => runs.progress(language),
      stopTests: (input, context) => runs.stop(input, context),
      testDraft: testDraft(dependencies),
      updateBalance: updateBalance(dependencies),
      updateBalances: updateBalances(dependencies),
      fetchModels: fetchModels(dependencies),
      fetchDraftModels: fetchDraftModels(dependencies),
    },
    async testAll(signal) {
      await runs.runAll(signal);
    },
    ask: (question) => askChannel(dependencies, question),
    learnFormats: (rows) => void learnFormatsOf(dependencies, rows),
    close: () => runs.close(),
  };
}
