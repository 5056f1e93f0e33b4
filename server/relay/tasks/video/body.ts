// Reads the body of a creation: JSON, or a form with a picture.
import type { Incoming } from '#server/relay/caller/incoming.ts';
import { RelayError } from '#server/relay/errors/relay-error.ts';
import { boundaryOf, parseMultipart } from '#server/relay/request/multipart.ts';
import { readBytes, readJson } from '#server/relay/request/read-body.ts';
import { pictureType, type Fields, type Picture } from './request.ts';

const LONGEST_FIELD = 1024 * 1024;
const PICTURE_FIELDS = new Set(['input_reference', 'image', 'first_frame_image']);

export interface VideoBody {
  readonly fields: Fields;
  readonly picture: Picture | undefined;
}

export async function readVideoBody(incoming: Incoming): Promise<VideoBody> {
  const contentType = incoming.request.headers.get('content-type') ?? '';
  if (!/^multipart\/form-data\b/i.test(contentType))
    return { fields: (await readJson(incoming)).value, picture: undefined };
  const boundary = boundaryOf(contentType);
  if (boundary === undefined) throw new RelayError('invalid_body', { detail: 'boundary' });
  const bytes = await readBytes(incoming);
  const parts = parseMultipart(bytes, boundary);
  if (parts === undefined) throw new RelayError('invalid_body', { detail: 'multipart' });
  const fields: Record<string, unknown> = {};
  let picture: Picture | undefined;
  for (const { name, isFile, bodyStart, bodyEnd } of parts) {
    const content = bytes.subarray(bodyStart, bodyEnd);
    // `input_reference[image_url]` is how the official clients write a nested field.
    const [, outer, inner] = /^(\w{1,100})\[(\w{1,100})\]$/.exec(name) ?? [];
    if (isFile) picture = pictureIn(name, content, picture);
    else if (content.length > LONGEST_FIELD) refuse(name.slice(0, 100));
    else if (outer !== undefined && inner !== undefined) {
      const given = fields[outer];
      fields[outer] = { ...(typeof given === 'object' ? given : {}), [inner]: textOf(content) };
    } else if (Object.hasOwn(fields, name)) throw new RelayError('invalid_body', { detail: 'duplicate' });
    else fields[name.slice(0, 100)] = textOf(content);
  }
  return { fields, picture };
}

const textOf = (content: Uint8Array): string => new TextDecoder().decode(content);

function pictureIn(name: string, content: Uint8Array, before: Picture | undefined): Picture {
  const type = pictureType(content);
  if (before !== undefined || type === undefined || !PICTURE_FIELDS.has(name)) refuse(name.slice(0, 100));
  return { type, bytes: content };
}

function refuse(field: string): never {
  throw new RelayError('invalid_field', { field }, { param: field });
}
