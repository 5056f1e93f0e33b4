/** A video in a tile: it plays without sound while the pointer or the focus is on it, and a click holds it. */
import { IconPlayerPlayFilled } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { playAlone } from './one-at-a-time.ts';
import { shownAddress } from './own-address.ts';
import { useSeen } from './use-seen.ts';
import type { PlayerWords } from './audio-player.tsx';
import classes from './media.module.css';

interface VideoCoverProps {
  address: string;
  /** Blank: the first picture of the video. */
  poster: string;
  words: PlayerWords;
}

const isStill = () => window.matchMedia('(prefers-reduced-motion: reduce)').matches;

export function VideoCover({ address, poster, words }: VideoCoverProps) {
  const { ref, isSeen } = useSeen<HTMLDivElement>();
  const video = useRef<HTMLVideoElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isBroken, setBroken] = useState(false);
  /** Started by a click: it goes on when the pointer leaves. */
  const held = useRef(false);
  const start = () => video.current && playAlone(video.current);
  const preview = () => {
    if (!isStill()) start();
  };
  const leave = () => {
    if (!held.current) video.current?.pause();
  };
  const toggle = () => {
    if (isPlaying && held.current) {
      held.current = false;
      video.current?.pause();
      return;
    }
    held.current = true;
    start();
  };
  const source = shownAddress(address);
  return (
    <div
      ref={ref}
      className={classes.video}
      data-playing={isPlaying || undefined}
      onPointerEnter={(event) => event.pointerType === 'mouse' && preview()}
      onPointerLeave={(event) => event.pointerType === 'mouse' && leave()}
    >
      {isBroken ? (
        <p className={classes.notPlayable}>{words.broken}</p>
      ) : (
        <video
          ref={video}
          src={isSeen ? (poster === '' ? `${source}#t=0.1` : source) : undefined}
          poster={poster === '' || !isSeen ? undefined : shownAddress(poster)}
          preload={poster === '' ? 'metadata' : 'none'}
          muted
          loop
          playsInline
          onPlay={() => setPlaying(true)}
          onPause={() => setPlaying(false)}
          onError={() => {
            if (!isSeen) return;
            setPlaying(false);
            setBroken(true);
          }}
        />
      )}
      <button
        type="button"
        className={classes.videoButton}
        aria-label={isPlaying ? words.pause : words.play}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && preview()}
        onBlur={leave}
        onClick={toggle}
      >
        {isPlaying ? null : (
          <span className={classes.playMark}>
            <IconPlayerPlayFilled size={16} />
          </span>
        )}
      </button>
    </div>
  );
}
