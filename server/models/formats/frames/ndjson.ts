// One JSON value on each line.
import type { Frame, FrameReader } from './frames.ts';

export class LineTooLongError extends Error {
  override name = 'LineTooLongError';
}

export function ndjsonReader(limitBytes: number): FrameReader {
  // A chunk may end inside a character.
  const decoder = new TextDecoder();
  let kept = '';

  function take(text: string): Frame[] {
    const lines = (kept + text).split('\n');
    kept = lines.pop() ?? '';
    if (kept.length > limitBytes) throw new LineTooLongError('a line is too long');
    return framesOf(lines);
  }

  return {
    push: (bytes) => take(decoder.decode(bytes, { stream: true })),
    end() {
      const frames = framesOf([kept + decoder.decode()]);
      kept = '';
      return frames;
    },
  };
}

function framesOf(lines: readonly string[]): Frame[] {
  return lines
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((data) => ({ event: '', data }));
}
