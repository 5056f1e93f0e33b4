// What a mock video platform is made of: how it writes the state of a task, and what it calls the states.
import { createHash } from 'node:crypto';

export type State = 'queued' | 'running' | 'done' | 'failed' | 'cancelled';

export interface MadeVideo {
  id: string;
  platform: string;
  path: string;
  body: Record<string, unknown>;
  /** The name of an uploaded file; empty without one. */
  upload: string;
  state: State;
  progress: number;
  reason: string;
  /** What the platform says it made. */
  seconds: number;
  lines: number;
  tokens: number;
}

export interface Shape {
  /** Below the server's address. */
  readonly base: string;
  readonly key: string;
  isAuthorized(request: Request, body: string): boolean;
  /** The id and state of what the path asks for; undefined for other paths. */
  asks(method: string, path: string, body: Record<string, unknown>): { verb: Verb; id: string } | undefined;
  accepted(video: MadeVideo): unknown;
  state(video: MadeVideo, origin: string): unknown;
  readonly refusal: (status: number, message: string) => { status: number; body: unknown };
}

export type Verb = 'submit' | 'state' | 'content' | 'cancel' | 'remix' | 'file';

export const bearer = (key: string) => (request: Request) =>
  request.headers.get('authorization') === `Bearer ${key}`;
export const openAiRefusal = (status: number, message: string) => ({
  status,
  body: { error: { message, type: 'invalid_request_error', code: null } },
});
export const films = (origin: string, { id }: MadeVideo): string =>
  `${origin}/films/${encodeURIComponent(id)}.mp4`;

export function words(video: MadeVideo, names: Record<State, string>): string {
  return names[video.state];
}

/** A thousand bytes that differ by id. */
export function filmBytes(id: string): Buffer {
  const seed = createHash('sha256').update(id).digest();
  return Buffer.concat(Array.from({ length: 32 }, () => seed)).subarray(0, 1000);
}
