/** What a row concerns, by its name and as a link to its page; without a name as stored. */
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { namedTarget } from '#contract/admin/audit-references.ts';
import { useAuditWords } from '#web/ui/audit/words.ts';

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

export function TargetLink({ target, names }: TargetLinkProps) {
  const { t } = useTranslation('audit');
  const named = namedTarget(target);
  const name = names[target];
  if (named === undefined || name === undefined) return <Unnamed target={target} />;
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
