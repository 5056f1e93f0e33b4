/** What a row concerns, by its name and as a link to its page; without a name as stored. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { namedTarget } from '#contract/admin/audit-references.ts';
import type { AuditScope } from './queries.ts';
import { useAuditWords } from '#web/ui/audit/words.ts';

const PAGES = {
  channel: '/channel/$id',
  order: '/order/$id',
  plan: '/plan/$id',
  token: '/token/$id',
  user: '/user/$id',
} as const;

/** In an organization only its own things have pages. */
const OF_ORGANIZATION: readonly string[] = ['token', 'order'];

interface TargetLinkProps {
  target: string;
  scope: AuditScope;
  names: Readonly<Record<string, string>>;
}

const isPage = (kind: string): kind is keyof typeof PAGES => Object.hasOwn(PAGES, kind);

/** `price_draft:1` → "price draft 1". Ids that are not numbers, such as keys of settings, say more than their kind. */
function Unnamed({ target }: { target: string }) {
  const { kind } = useAuditWords();
  const [name = '', id = ''] = target.split(':');
  if (id !== '' && !/^\d+$/.test(id)) return <code className="code">{target}</code>;
  return (
    <span title={target}>
      {kind(name)} {id}
    </span>
  );
}

export function TargetLink({ target, names, scope }: TargetLinkProps) {
  const { t } = useTranslation('audit');
  const named = namedTarget(target);
  const name = names[target];
  if (named === undefined || name === undefined) return <Unnamed target={target} />;
  if (scope === 'organization' && named.kind === 'organization')
    return (
      <span className="muted" title={name}>
        {t('ownOrganization')}
      </span>
    );
  const kind = named.kind === 'user' ? null : <span className="muted">{t(`kind.${named.kind}`)} </span>;
  const page = isPage(named.kind) ? PAGES[named.kind] : undefined;
  if (page === undefined || (scope === 'organization' && !OF_ORGANIZATION.includes(named.kind)))
    return (
      <span title={target}>
        {kind}
        {name}
      </span>
    );
  return (
    <Link
      to={page}
      params={{ id: String(named.id) }}
      className="quiet-link"
      title={target}
      onClick={(event) => event.stopPropagation()}
    >
      {kind}
      {name}
    </Link>
  );
}
