// Asks an upstream which formats it accepts: a request without content to each path. A path that exists refuses the
// content, one that does not answers 404 or 405; neither costs a token.
import { providerOf } from '#server/models/providers/index.ts';
import { convertibleFormats, isUnknownPath, refusedIn, speaksOf } from '#server/models/providers/spoken.ts';
import type { Format } from '#server/models/providers/provider.ts';
import type { Row } from '#server/platform/store/schema.ts';
import { splitList } from '#server/relay/channel-choice/abilities.ts';
import { changeChannel } from '#server/relay/channel-choice/write.ts';
import type { UpstreamDependencies } from './dependencies.ts';
import { askUpstream, providerChannel, targetOf } from './upstream.ts';

const PATHS: Partial<Record<Format, string>> = {
  'openai-chat': '/v1/chat/completions',
  'openai-responses': '/v1/responses',
  'anthropic-messages': '/v1/messages',
};
const TIMEOUT_SECONDS = 10;

/** Stores what the upstream refuses, and returns it. Without an answer, or when it knows no path, nothing changes. */
export async function learnFormats(
  dependencies: UpstreamDependencies,
  row: Row<'channels'>,
  signal?: AbortSignal,
): Promise<string> {
  const asked = formatsToAsk(row);
  if (asked.length < 2) return row.refused_formats;
  const answers = await Promise.all(asked.map((format) => isRefused(dependencies, row, format, signal)));
  const refused = asked.filter((_format, index) => answers[index] === true);
  if (answers.includes(undefined) || refused.length === asked.length) return row.refused_formats;
  // Formats that were not asked for keep what calls have shown.
  const others = [...refusedIn(row.refused_formats)].filter((format) => !asked.includes(format));
  const refused_formats = [...others, ...refused].join(',');
  if (refused_formats === row.refused_formats) return refused_formats;
  const { store } = dependencies;
  await changeChannel(store.db, row.id, { refused_formats }, { base_url: row.base_url, type: row.type });
  await store.changes.announce('channels', String(row.id));
  return refused_formats;
}

/** Channels just saved, in the background. */
export async function learnFormatsOf(
  dependencies: UpstreamDependencies,
  rows: readonly Row<'channels'>[],
): Promise<void> {
  // Copies of a channel with other keys have the same upstream.
  const [first] = rows;
  if (first === undefined) return;
  try {
    await learnFormats(dependencies, first);
  } catch (error) {
    dependencies.log.warn('the formats of an upstream could not be learned', { channel_id: first.id, error });
  }
}

function formatsToAsk(row: Row<'channels'>): Format[] {
  const provider = providerOf(row.type);
  if (provider === undefined) return [];
  // Without what was learned before, which may have changed.
  const { refusedFormats: _learned, ...channel } = providerChannel({ ...row, key: '', refused_formats: '' });
  const speaks = speaksOf(provider, channel, modelOf(row));
  return convertibleFormats.filter((format) => speaks.includes(format) && PATHS[format] !== undefined);
}

const modelOf = (row: Row<'channels'>): string => row.test_model || (splitList(row.models)[0] ?? '');

/** undefined: no answer. */
async function isRefused(
  dependencies: UpstreamDependencies,
  row: Row<'channels'>,
  format: Format,
  signal: AbortSignal | undefined,
): Promise<boolean | undefined> {
  const target = targetOf(dependencies, row);
  const model = dependencies.upstreamModel(row.model_mapping, modelOf(row));
  const call = { format, path: PATHS[format] ?? '', model, isStream: false };
  const url = providerOf(row.type)?.url(providerChannel(target), call) ?? '';
  const answer = await askUpstream(dependencies, target, {
    url,
    body: { model },
    timeoutSeconds: TIMEOUT_SECONDS,
    ...(signal ? { signal } : {}),
  });
  if (!answer.isOk || answer.status >= 500) return undefined;
  return isUnknownPath(answer.status, answer.text);
}
