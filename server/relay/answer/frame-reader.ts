// The frames of a stream by its framing: what a decoder is fed with.
import { awsEventStreamReader } from '#server/models/formats/frames/aws-event-stream.ts';
import type { Frame, FrameReader } from '#server/models/formats/frames/frames.ts';
import { ndjsonReader } from '#server/models/formats/frames/ndjson.ts';
import { EventSplitter, readEvent } from '#server/models/formats/sse.ts';
import type { Framing } from '#server/models/providers/provider.ts';

export function frameReader(framing: Framing, limitBytes: number): FrameReader {
  if (framing === 'sse') return sseReader(limitBytes);
  if (framing === 'aws-event-stream') return awsEventStreamReader(limitBytes);
  // One message of a socket is handed over as one line.
  return ndjsonReader(limitBytes);
}

function sseReader(limitBytes: number): FrameReader {
  const splitter = new EventSplitter(limitBytes);
  return {
    push(bytes) {
      const frames: Frame[] = [];
      for (const event of splitter.push(bytes)) add(frames, event);
      return frames;
    },
    end() {
      const frames: Frame[] = [];
      const rest = splitter.rest();
      if (rest !== undefined) add(frames, rest);
      return frames;
    },
  };
}

function add(frames: Frame[], bytes: Uint8Array): void {
  const { event, data, empty } = readEvent(bytes);
  if (!empty) frames.push({ event, data });
}
