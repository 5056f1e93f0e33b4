/** A request that a page hands to the playground to be looked at and sent again. Kept for this tab only, and read once. */
export const MEDIA_KINDS = ['image', 'music', 'video'] as const;
export type PlaygroundMedia = (typeof MEDIA_KINDS)[number];

export interface AgainRequest {
  kind: PlaygroundMedia;
  model: string;
  prompt: string;
  /** Of a song. */
  title: string;
  tags: string;
  /** Of a video; blank and 0: as the model does. */
  size: string;
  seconds: number;
  /** Addresses of pictures, with spaces between them. */
  pictureUrls: string;
}

const KEY = 'playground-again';

export function keepAgain(request: AgainRequest): void {
  sessionStorage.setItem(KEY, JSON.stringify(request));
}

export function takeAgain(): AgainRequest | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  try {
    const stored = JSON.parse(text ?? '{}') as Record<string, unknown>;
    const kind = MEDIA_KINDS.find((each) => each === stored['kind']);
    if (kind === undefined || typeof stored['prompt'] !== 'string') return undefined;
    const { seconds } = stored;
    return {
      kind,
      model: textOf(stored['model']),
      prompt: stored['prompt'],
      title: textOf(stored['title']),
      tags: textOf(stored['tags']),
      size: textOf(stored['size']),
      seconds: typeof seconds === 'number' ? seconds : 0,
      pictureUrls: textOf(stored['pictureUrls']),
    };
  } catch {
    return undefined;
  }
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
