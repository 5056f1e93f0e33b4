/** A request that a page hands to the playground to be looked at and sent again. Kept for this tab only, and read once. */
export const MEDIA_KINDS = ['image', 'music', 'video'] as const;
export type PlaygroundMedia = (typeof MEDIA_KINDS)[number];

export interface AgainRequest {
  kind: PlaygroundMedia;
  model: string;
  prompt: string;
  /** Seconds of a video; 0: as the model does. */
  seconds: number;
}

const KEY = 'playground-again';

export function keepAgain(request: AgainRequest): void {
  sessionStorage.setItem(KEY, JSON.stringify(request));
}

export function takeAgain(): AgainRequest | undefined {
  const text = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  try {
    const { kind, model, prompt, seconds } = JSON.parse(text ?? '{}') as Partial<AgainRequest>;
    const known = MEDIA_KINDS.find((each) => each === kind);
    if (known === undefined || typeof model !== 'string' || typeof prompt !== 'string') return undefined;
    return { kind: known, model, prompt, seconds: typeof seconds === 'number' ? seconds : 0 };
  } catch {
    return undefined;
  }
}
