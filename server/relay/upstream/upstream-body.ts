// Builds the body for one channel: the caller's text with changed members, a provider's own task protocol, or a
// conversion. Every change and loss is noted for the conversion receipt.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { codecs } from '#server/models/formats/index.ts';
import type { Format, Framing } from '#server/models/providers/provider.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import { mapModel } from '#server/relay/channels/mapping.ts';
import { spokenFormat } from '#server/relay/channels/spoken-format.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { suffixFor } from '#server/models/reasoning-suffix.ts';
import { pathFor, type JsonRequest, type Made, type UpstreamBody } from './body-parts.ts';
import { lossesOf } from './conversion.ts';
import { converted } from './converted-body.ts';
import { passed } from './passed-body.ts';
import { taughtFormat } from './taught.ts';
import { taskBody, taskOf } from './task-body.ts';

export function jsonFor(request: JsonRequest, channel: Channel, requestId: string): UpstreamBody {
  const { endpoint, model } = request;
  const { provider } = channel;
  const mapped = mapModel(channel.modelMapping, model);
  const spoken = spokenFormat(channel, endpoint.format, model);
  // Possible only for a channel an administrator chose by `sk-KEY-<channel>`.
  if (spoken === undefined) throw new RelayError('not_supported');
  const suffix = suffixFor(spoken, mapped);
  const notes: ConversionNote[] = [];
  const upstreamModel = suffix?.model ?? mapped;
  const format = taughtFormat(channel, { model: upstreamModel, format: spoken }, request, notes);
  const task = taskOf(channel, endpoint.format, format);
  const target = { channel, format, mapped, suffix, requestId, notes };
  const made =
    task !== undefined
      ? taskBody(request, target, task)
      : isConverted(request, channel, format)
        ? converted(request, target)
        : passed(request, target);
  if (request.isStrict) refuseLosses(notes);
  return {
    model: made.model,
    contentType: made.contentType,
    body: made.body,
    format: made.format,
    path: pathFor(endpoint, made),
    isStream: made.isStream,
    framing: framingOf(provider, made),
    conversion: made.conversion,
    task: made.task,
    notes,
  };
}

function refuseLosses(notes: readonly ConversionNote[]): void {
  const losses = lossesOf(notes);
  if (losses.length === 0) return;
  const detail = losses.map(({ field, what, detail: why }) => `${field} (${what}: ${why})`).join('; ');
  throw new RelayError(
    'lossy_conversion',
    { detail: detail.slice(0, 1000) },
    { param: losses[0]?.field ?? '' },
  );
}

function framingOf(provider: Channel['provider'], { format, model, isStream }: Made): Framing {
  if (provider.framing === undefined) return 'sse';
  return provider.framing({ format, model, isStream, path: '' });
}

function isConverted(request: JsonRequest, { id, provider, setting }: Channel, format: Format): boolean {
  const { endpoint, model, isStream } = request;
  if (format !== endpoint.format || request.isEmulated(id)) return true;
  if (codecs[format] === undefined) return false;
  if (provider.alwaysStreams === true && !isStream) return true;
  if (provider.neverStreams === true && isStream) return true;
  if (provider.takesContentOnly === true && request.isInlined) return true;
  // Events in another framing must be rewritten as server-sent events.
  if (isStream && (provider.framing?.({ format, model, isStream, path: '' }) ?? 'sse') !== 'sse') return true;
  return setting.forceFormat || setting.thinkingToContent;
}
