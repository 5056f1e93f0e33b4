// A stream divided into frames, independent of its framing.

export interface Frame {
  /** Empty when the framing has no names. */
  event: string;
  data: string;
}

export interface FrameReader {
  /** The frames do not depend on how the bytes were split. */
  push(bytes: Uint8Array): Frame[];
  /** The stream ended; the rest in the buffer. */
  end(): Frame[];
}
