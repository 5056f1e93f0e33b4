/** A player that starts stops the one before it. */
let playing: HTMLMediaElement | undefined;

export function playAlone(media: HTMLMediaElement): void {
  if (playing !== media) playing?.pause();
  playing = media;
  // Refused by the browser, or the file cannot be played: the element says so itself.
  void media.play().catch(() => undefined);
}
