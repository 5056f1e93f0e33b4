/** What a row concerns, by its name and as a link to its page; without a name as stored. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { namedTarget } from '#contract/admin/audit-references.ts';

const PAGES = {
  channel: '/channel/$id',
  order: '/order/$id',
  plan: '/plan/$id',
  token: '/token/$id',
  user: '/user/$id',
} as const;

interface TargetLinkProps {
  target: string;
  names: Readonly<Record<string, string>>;
}

export function TargetLink({ target, names }: TargetLinkProps) {
  const { t } = useTranslation('audit');
  const named = namedTarget(target);
  const name = names[target];
  if (named === undefined || name === undefined) return <code className="code">{target}</code>;
  return (
    <Link
      to={PAGES[named.kind]}
      params={{ id: String(named.id) }}
      className="quiet-link"
      title={target}
      onClick={(event) => event.stopPropagation()}
    >
      {named.kind === 'user' ? null : <span className="muted">{t(`kind.${named.kind}`)} </span>}
      {name}
    </Link>
  );
}
