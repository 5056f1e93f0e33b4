// The body for providers with an own protocol for a task (speech, images, embeddings …) instead of a known format.
import type { ConversionNote } from '#server/models/formats/canonical.ts';
import { FormatError } from '#server/models/formats/json.ts';
import type { Format, TaskConversion } from '#server/models/providers/provider.ts';
import type { Channel } from '#server/relay/channels/catalog.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { geminiEmbeddings } from '#server/models/formats/gemini-embeddings.ts';
import { adjusted, callOf, overridden, type BodyTarget, type JsonRequest, type Made } from './body-parts.ts';

export function taskOf(channel: Channel, caller: Format, spoken: Format): TaskConversion | undefined {
  const own = channel.provider.tasks?.[spoken];
  if (caller !== 'gemini-embeddings' || spoken === caller) return own;
  if (own === undefined) return geminiEmbeddings;
  return {
    encodeRequest: (body, notes) => own.encodeRequest(geminiEmbeddings.encodeRequest(body, notes), notes),
    decodeResponse: (body, request) =>
      geminiEmbeddings.decodeResponse(
        own.decodeResponse(body, geminiEmbeddings.encodeRequest(request, [])),
        request,
      ),
  };
}

/** A request the protocol cannot express is the caller's error (400). */
function encodedTask(
  conversion: TaskConversion,
  given: Record<string, unknown>,
  notes: ConversionNote[],
): Record<string, unknown> {
  try {
    return { ...conversion.encodeRequest(given, notes) };
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new RelayError('invalid_body', { detail: error.message }, { param: error.path || 'body' });
  }
}

export function taskBody(request: JsonRequest, target: BodyTarget, conversion: TaskConversion): Made {
  const { channel, mapped, format, notes } = target;
  const { json, isStream, changes } = request;
  const given: Record<string, unknown> = { ...json.value, model: mapped };
  for (const [name, value] of changes) if (value === undefined) delete given[name];
  const encoded = encodedTask(conversion, given, notes);
  overridden(channel, encoded);
  const call = callOf(request, format, mapped, isStream);
  const body = JSON.stringify(adjusted(channel, encoded, call, notes));
  return {
    model: mapped,
    contentType: 'application/json',
    body,
    format,
    isStream,
    conversion: undefined,
    task: { conversion, request: given },
  };
}
