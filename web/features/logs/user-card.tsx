/** The user of a log row, for administrators. Users of the same role or above are not shown. */
import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { errorMessage } from '#web/api/errors.ts';
import { PostLoader } from '#web/ui/badge/posts.tsx';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import { logQueries } from './queries.ts';
import { useReturnFocus } from '#web/ui/feedback/use-return-focus.ts';
import classes from './logs.module.css';

interface UserCardProps {
  userId: number;
  username: string;
  onClose: () => void;
  onFilter: (username: string) => void;
}

export function UserCard({ userId, username, onClose, onFilter }: UserCardProps) {
  const { t } = useTranslation('logs');
  const { t: ui } = useTranslation('ui');
  useReturnFocus();
  const display = useDisplay();
  const user = useQuery(logQueries.user(userId));
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('user.title')}
      closeButtonProps={{ 'aria-label': ui('action.close') }}
    >
      {user.isPending ? <PostLoader label={username} /> : null}
      {user.error ? <NoticeBox tone="warning">{errorMessage(user.error)}</NoticeBox> : null}
      {user.data ? (
        <dl className={classes.userCard}>
          <dt>{t('user.username')}</dt>
          <dd>
            <Link to="/user/$id" params={{ id: String(userId) }}>
              {user.data.username}
            </Link>
          </dd>
          <dt>{t('user.balance')}</dt>
          <dd>{renderQuota(user.data.quota, display)}</dd>
          <dt>{t('user.used')}</dt>
          <dd>{renderQuota(user.data.used_quota, display)}</dd>
          <dt>{t('user.requests')}</dt>
          <dd>{groupDigits(user.data.request_count)}</dd>
          <dt>{t('user.group')}</dt>
          <dd>
            <GroupTag group={user.data.group} />
          </dd>
        </dl>
      ) : null}
      <Button variant="default" onClick={() => onFilter(username)}>
        {t('user.logs')}
      </Button>
    </Modal>
  );
}
