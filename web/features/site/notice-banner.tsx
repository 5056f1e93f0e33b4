/** The operator's notice: one banner, hidden once dismissed, shown again when its text changes. */
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { noticeQuery } from '#web/api/queries.ts';
import { textHash } from '#web/ui/content/kind.ts';
import { RichContent } from '#web/ui/content/rich.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import classes from './site.module.css';

const KEY = 'notice-dismissed';

export function NoticeBanner() {
  const { data } = useQuery(noticeQuery);
  const [dismissed, setDismissed] = useState(() => localStorage.getItem(KEY));
  const text = data?.trim() ?? '';
  const hash = textHash(text);
  if (!text || dismissed === hash) return null;
  return (
    <div className={classes.notice}>
      <NoticeBox
        tone="info"
        onClose={() => {
          localStorage.setItem(KEY, hash);
          setDismissed(hash);
        }}
      >
        <RichContent text={text} className={classes.noticeText} />
      </NoticeBox>
    </div>
  );
}
