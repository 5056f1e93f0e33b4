// Prepares uploads: fields are read from the parts, and only the model's part is rewritten when the upstream has another
// name for it. File bytes are not copied.
import type { Channel } from '#server/relay/channel-choice/catalog.ts';
import type { RelayEndpoint } from '#server/relay/request/endpoints.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { mapModel } from '#server/relay/channel-choice/mapping.ts';
import { boundaryOf, parseMultipart, type MultipartPart } from '#server/relay/request/multipart.ts';
import { modelOf, type PreparedCall } from './prepare.ts';
import type { UpstreamBody } from './upstream-body.ts';
import { readBytes, type Unread } from '#server/relay/request/read-body.ts';
import type { Usage } from '#server/money/prices/usage.ts';
import { LARGEST_PICTURE } from '#server/relay/request/estimate.ts';
import { recordingEstimate } from '#server/relay/request/audio-length.ts';

const ROUTING_FIELDS = new Set(['api_base', 'base_url', 'api_key', 'api_version', 'custom_llm_provider']);

export async function prepareMultipart(endpoint: RelayEndpoint, incoming: Unread): Promise<PreparedCall> {
  const contentType = incoming.request.headers.get('content-type') ?? '';
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) throw new RelayError('invalid_body', { detail: 'boundary' });
  const bytes = await readBytes(incoming);
  const parts = parseMultipart(bytes, boundary);
  if (parts === undefined) throw new RelayError('invalid_body', { detail: 'multipart' });
  const fields = fieldsOf(parts, bytes);
  const model = modelOf(fields['model'], endpoint);
  // A nested field is written `image[0][file_id]`. The account that keeps the file is shared by all users.
  const named = Object.keys(fields).find((name) => name.includes('file_id'));
  if (named !== undefined) {
    const field = named.slice(0, 100);
    throw new RelayError('state_not_here', { field }, { param: field });
  }
  return preparedAs(endpoint, model, {
    fields,
    upload: { bytes, parts, contentType, boundary, named: model },
  });
}

interface Received {
  readonly fields: Record<string, unknown>;
  readonly upload: Upload;
}

function preparedAs(endpoint: RelayEndpoint, model: string, received: Received): PreparedCall {
  const { fields, upload } = received;
  const { bytes, parts } = upload;
  const file = parts.find((part) => part.isFile);
  const estimate = endpoint.estimate(fields, model);
  return {
    endpoint,
    model,
    as: (other) => preparedAs(endpoint, other, received),
    isStream: fields['stream'] === 'true',
    wantsUsage: false,
    outputLimit: undefined,
    estimate:
      endpoint.format === 'openai-transcriptions' && file !== undefined
        ? recordingEstimate(estimate, bytes.subarray(file.bodyStart, file.bodyEnd))
        : { ...estimate, most: withPictures(estimate.most, parts) },
    reasoningEffort: '',
    requestLength: bytes.length,
    fields,
    isStrict: false,
    wantsArray: false,
    affinity: undefined,
    bodyFor: (channel) => ({
      ...multipartFor(channel, model, upload),
      format: endpoint.format,
      path: endpoint.path,
      isStream: fields['stream'] === 'true',
      framing: 'sse',
      conversion: undefined,
      task: undefined,
      notes: [],
    }),
  };
}

/** Each picture that is edited counts as input. */
function withPictures(most: Usage, parts: readonly MultipartPart[]): Usage {
  return { ...most, imageInput: parts.filter(({ isFile }) => isFile).length * LARGEST_PICTURE };
}

export function fieldsOf(parts: readonly MultipartPart[], bytes: Uint8Array): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  const seen = new Set<string>();
  for (const { name, isFile, bodyStart, bodyEnd } of parts) {
    if (isFile) continue;
    if (seen.has(name) && !name.endsWith('[]')) throw new RelayError('invalid_body', { detail: 'duplicate' });
    seen.add(name);
    if (bodyEnd - bodyStart > 1024 * 1024)
      throw new RelayError('invalid_field', { field: name.slice(0, 100) });
    const text = new TextDecoder().decode(bytes.subarray(bodyStart, bodyEnd));
    fields[name] = name === 'n' && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text;
  }
  return fields;
}

interface Upload {
  readonly bytes: Uint8Array;
  readonly parts: readonly MultipartPart[];
  readonly contentType: string;
  readonly boundary: string;
  /** The model that its part names. */
  readonly named: string;
}

function multipartFor(
  channel: Channel,
  model: string,
  { bytes, parts, contentType, boundary, named }: Upload,
): Pick<UpstreamBody, 'model' | 'contentType' | 'body'> {
  const upstreamModel = mapModel(channel.modelMapping, model);
  const modelPart = parts.find(({ name, isFile }) => name === 'model' && !isFile);
  const dropped = parts.filter(({ name, isFile }) => !isFile && ROUTING_FIELDS.has(name));
  if (upstreamModel === named && modelPart !== undefined && dropped.length === 0) {
    return { model: upstreamModel, contentType, body: bytes };
  }
  const pieces: Uint8Array[] = [];
  if (modelPart === undefined) pieces.push(modelField(boundary, upstreamModel));
  let at = 0;
  for (const part of parts) {
    if (dropped.includes(part)) {
      pieces.push(bytes.subarray(at, part.start));
      at = part.end;
    } else if (part === modelPart && upstreamModel !== named) {
      pieces.push(bytes.subarray(at, part.bodyStart), Buffer.from(upstreamModel));
      at = part.bodyEnd;
    }
  }
  pieces.push(bytes.subarray(at));
  return { model: upstreamModel, contentType, body: Buffer.concat(pieces) };
}

function modelField(boundary: string, model: string): Buffer {
  return Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="model"\r\n\r\n${model}\r\n`);
}
