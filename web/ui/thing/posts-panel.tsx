/** A panel of calls over time: numbers with what to compare them to, and a post for each hour or day. */
import { useTranslation } from 'react-i18next';
import type { ThingWindow } from '#contract/thing-window.ts';
import { Figures, type ThingFigure } from './figures.tsx';
import { HourPosts, PostLegend, WindowSwitch, type HourPost, type PostPlace } from './hour-posts.tsx';
import { ThingPanel } from './panel.tsx';

interface PostsPanelProps {
  figures: ThingFigure[];
  posts: HourPost[];
  window: ThingWindow;
  /** Seconds of a post. */
  step: number;
  onWindow: (window: ThingWindow) => void;
  /** The log of a post. */
  placeOf?: ((post: HourPost) => PostPlace) | undefined;
  mark?: { at: number; label: string } | undefined;
  /** The first token is a mean, not a median. */
  isMean?: boolean;
}

export function PostsPanel({ figures, window, onWindow, ...posts }: PostsPanelProps) {
  const { t } = useTranslation('thing');
  return (
    <ThingPanel
      title={t(`span.${window}`)}
      hint={t(`per.${window}`)}
      more={
        <>
          <PostLegend />
          <WindowSwitch value={window} onChange={onWindow} />
        </>
      }
      isFlush
    >
      <Figures figures={figures} />
      <HourPosts {...posts} />
    </ThingPanel>
  );
}
