/** A song: play and pause, its waveform as a bar to move in, and the time. Nothing is loaded before it is played. */
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { clock } from './clock.ts';
import { playAlone } from './one-at-a-time.ts';
import { shownAddress } from './own-address.ts';
import { BARS, readPeaks } from './waveform.ts';
import classes from './media.module.css';

export interface PlayerWords {
  play: string;
  pause: string;
  position: string;
  /** The file cannot be played. */
  broken: string;
}

interface AudioPlayerProps {
  address: string;
  /** Seconds as the task says; 0 when unknown. */
  duration: number;
  words: PlayerWords;
}

const FLAT = Array.from({ length: BARS }, () => 0);
const LOWEST = 0.12;

export function AudioPlayer({ address, duration, words }: AudioPlayerProps) {
  const audio = useRef<HTMLAudioElement>(null);
  const [isPlaying, setPlaying] = useState(false);
  const [isBroken, setBroken] = useState(false);
  const [time, setTime] = useState(0);
  const [length, setLength] = useState(duration);
  const [peaks, setPeaks] = useState<readonly number[]>(FLAT);
  const toggle = () => {
    const element = audio.current;
    if (element === null) return;
    if (isPlaying) return element.pause();
    setBroken(false);
    playAlone(element);
    void readPeaks(address).then((read) => read && setPeaks(read));
  };
  const move = (to: number) => {
    if (audio.current) audio.current.currentTime = to;
    setTime(to);
  };
  const share = length > 0 ? time / length : 0;
  return (
    <div className="row8 shrink">
      <audio
        ref={audio}
        src={shownAddress(address)}
        preload="none"
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onTimeUpdate={(event) => setTime(event.currentTarget.currentTime)}
        onDurationChange={(event) => {
          const known = event.currentTarget.duration;
          if (Number.isFinite(known)) setLength(known);
        }}
        onError={() => {
          setPlaying(false);
          setBroken(true);
        }}
      />
      <button
        type="button"
        className={classes.playButton}
        aria-label={isPlaying ? words.pause : words.play}
        onClick={toggle}
      >
        {isPlaying ? <IconPlayerPauseFilled size={14} /> : <IconPlayerPlayFilled size={14} />}
      </button>
      {isBroken ? (
        <span className="shrink size12 danger" role="alert">
          {words.broken}
        </span>
      ) : (
        <>
          <span className={`row grow ${classes.wave}`}>
            {peaks.map((peak, bar) => (
              <span
                key={bar}
                data-played={(bar + 0.5) / BARS <= share || undefined}
                style={{ height: `${Math.round(Math.max(LOWEST, peak) * 100)}%` }}
              />
            ))}
            <input
              type="range"
              aria-label={words.position}
              aria-valuetext={`${clock(time)} / ${clock(length)}`}
              min={0}
              max={Math.max(1, Math.ceil(length))}
              step={1}
              value={Math.min(time, Math.ceil(length) || 1)}
              onChange={(event) => move(Number(event.currentTarget.value))}
            />
          </span>
          <span className={classes.time}>{clock(isPlaying || time > 0 ? time : length)}</span>
        </>
      )}
    </div>
  );
}
