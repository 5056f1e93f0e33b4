/** The calls of 24 hours, one post an hour. */
import { useTranslation } from 'react-i18next';
import type { Post } from '#contract/admin/overview.ts';
import { HealthStrip, type Health } from '#web/ui/badge/health-strip.tsx';

const FAILING = 0.5;
const DEGRADED = 0.05;

function healthOf({ calls, failures }: Post): Health {
  const total = calls + failures;
  if (total === 0) return 'idle';
  if (failures / total >= FAILING) return 'failing';
  return failures / total >= DEGRADED ? 'degraded' : 'healthy';
}

export function Posts({ posts }: { posts: readonly Post[] }) {
  const { t } = useTranslation('overview');
  const sum = (of: keyof Post) => posts.reduce((total, post) => total + post[of], 0);
  return (
    <HealthStrip
      hours={posts.map(healthOf)}
      label={t('channels.posts', { calls: sum('calls'), failures: sum('failures') })}
    />
  );
}
