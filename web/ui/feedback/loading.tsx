/** What a page or a part of it shows while its data is on the way. */
import { useTranslation } from 'react-i18next';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import classes from './feedback.module.css';

/** Uneven widths, in percent: equal bars look like a broken page. */
const BONES = [62, 44, 71, 53, 38, 66, 48, 57];

/** `page`: lines where the page will be, from edge to edge; otherwise the three posts. */
export function Loading({ page = false }: { page?: boolean }) {
  const { t } = useTranslation('ui');
  if (page)
    return (
      <div className={classes.bones}>
        <span role="status" className="hidden">
          {t('grid.loading')}
        </span>
        {BONES.map((width) => (
          <div key={width} aria-hidden>
            <i style={{ width: `${width}%` }} />
          </div>
        ))}
      </div>
    );
  return (
    <div className={classes.loading}>
      <PostLoader label={t('grid.loading')} />
    </div>
  );
}
