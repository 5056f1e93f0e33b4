/** Models of enabled channels without a price: their calls are refused, which is easy to miss after connecting a channel. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { isRoot } from '#contract/access.ts';
import { useUser } from '#web/api/session.ts';
import { NoticeBox } from '#web/ui/feedback/notice.tsx';
import { channelQueries } from '#web/features/channels/queries.ts';

const NAMED = 5;

export function UnpricedNotice() {
  const { t } = useTranslation('channels');
  const user = useUser();
  const { data: models = [] } = useQuery(channelQueries.unpriced());
  if (models.length === 0) return null;
  const names = models.slice(0, NAMED).join(', ') + (models.length > NAMED ? ' …' : '');
  return (
    <NoticeBox tone="warning">
      {t('unpriced.text', { count: models.length, names })}{' '}
      {user && isRoot(user.role) ? (
        <Link to="/prices" search={{ unpriced: true }}>
          {t('unpriced.action')}
        </Link>
      ) : (
        t('unpriced.ask')
      )}
    </NoticeBox>
  );
}
