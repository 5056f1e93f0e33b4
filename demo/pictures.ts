// A picture for a prompt: sky, sun and hills whose colours and lines come from the text, so that the same prompt gives the
// same picture.
import { pngOf } from '#mock/media-files.ts';
import { createRandom } from './random.ts';

type Colour = readonly [red: number, green: number, blue: number];

const SKIES: readonly (readonly [top: Colour, bottom: Colour, hill: Colour])[] = [
  [
    [38, 52, 92],
    [242, 178, 132],
    [46, 62, 74],
  ],
  [
    [120, 176, 214],
    [240, 232, 206],
    [74, 116, 92],
  ],
  [
    [22, 24, 48],
    [92, 84, 140],
    [28, 34, 52],
  ],
  [
    [214, 140, 150],
    [252, 226, 190],
    [104, 78, 104],
  ],
  [
    [150, 186, 190],
    [226, 232, 224],
    [88, 110, 104],
  ],
];

export function landscape(prompt: string, size = 512): Uint8Array {
  const random = createRandom(Number(Bun.hash(prompt) % 4_294_967_296n));
  const [top, bottom, hill] = random.pick(SKIES);
  const sun = { x: random.between(0.2, 0.8) * size, y: random.between(0.2, 0.5) * size };
  const radius = random.between(0.05, 0.1) * size;
  const ridges = [0.55, 0.68, 0.8].map((height) => ({
    height: height * size,
    swing: random.between(0.03, 0.09) * size,
    waves: [random.between(1, 2.5), random.between(3, 6)] as const,
    shift: random.between(0, 7),
  }));
  const depthAt = (x: number, y: number) =>
    ridges.findLastIndex(({ height, swing, waves, shift }) => {
      const turn = (x / size) * Math.PI * 2;
      const line = Math.sin(turn * waves[0] + shift) + 0.35 * Math.sin(turn * waves[1] + shift * 2);
      return y > height + swing * line;
    });
  return pngOf(size, (x, y) => {
    const depth = depthAt(x, y);
    if (depth >= 0) return mixed(bottom, hill, 0.45 + depth * 0.27);
    const distance = Math.hypot(x - sun.x, y - sun.y);
    const sky = mixed(top, bottom, y / (size * 0.75));
    if (distance < radius) return [255, 246, 224];
    return mixed([255, 240, 210], sky, Math.min(1, 0.55 + (distance - radius) / size));
  }).bytes;
}

function mixed(from: Colour, to: Colour, part: number): Colour {
  const at = Math.min(1, Math.max(0, part));
  const between = (index: 0 | 1 | 2) => Math.round(from[index] + (to[index] - from[index]) * at);
  return [between(0), between(1), between(2)];
}
