// A stream cut into its frames, whichever way the upstream cuts it.

export interface Frame {
  /** Empty when the framing has no names. */
  event: string;
  data: string;
}

export interface FrameReader {
  /** Any cut of the bytes gives the same frames. */
  push(bytes: Uint8Array): Frame[];
  /** The stream ended; what stood in no closed frame yet. */
  end(): Frame[];
}
