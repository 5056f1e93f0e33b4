/** The facts of a key, and its limit: limit − used = left. */
import { UnstyledButton } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTranslation } from 'react-i18next';
import { TOKEN_NEVER_EXPIRES } from '#contract/admin/tokens.ts';
import type { TokenPageView } from '#contract/admin/token-page.ts';
import { QuotaBar } from '#web/ui/badge/posts.tsx';
import { GroupTag, Tag } from '#web/ui/badge/tag.tsx';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment } from '#web/ui/format/moment.tsx';
import { groupDigits, renderQuota } from '#web/ui/format/number.ts';
import layout from '#web/ui/input/form.module.css';
import { FactList, type Fact } from '#web/ui/thing/facts.tsx';
import { ThingPanel } from '#web/ui/thing/panel.tsx';

type Token = TokenPageView['token'];

export function TokenFacts({ data, onEdit }: { data: TokenPageView; onEdit: (() => void) | undefined }) {
  const { t } = useTranslation('tokens');
  const { t: thing } = useTranslation('thing');
  const { token, owner, holder, is_own } = data;
  const limits = useLimits(token);
  return (
    <ThingPanel
      title={thing('facts')}
      more={
        onEdit ? (
          <UnstyledButton className={layout.link} onClick={onEdit}>
            {t('action.edit')}
          </UnstyledButton>
        ) : null
      }
      isFlush
    >
      <FactList
        facts={[
          { label: t('column.key'), value: <code className="code">sk-{token.key_hint}</code> },
          holder !== undefined && {
            label: t('column.holder'),
            value: holder.member_name || holder.service_account_name,
          },
          holder !== undefined && { label: t('page.project'), value: holder.project_name },
          !is_own &&
            holder === undefined && {
              label: t('page.owner'),
              value: (
                <Link to="/user/$id" params={{ id: String(owner.id) }}>
                  {owner.username}
                </Link>
              ),
            },
          {
            label: t('page.group'),
            value:
              token.group === '' ? (
                t(`page.${holder !== undefined ? 'sharedGroup' : is_own ? 'yourGroup' : 'ownGroup'}`)
              ) : (
                <GroupTag group={token.group} />
              ),
          },
          {
            label: t('column.models'),
            value: token.model_limits_enabled ? <Names names={token.models} /> : t('page.everyModel'),
          },
          ...limits,
          token.allow_ips.length > 0 && { label: t('page.allowed'), value: token.allow_ips.join(', ') },
          token.deny_ips.length > 0 && { label: t('page.denied'), value: token.deny_ips.join(', ') },
          {
            label: t('column.expires'),
            value:
              token.expired_time === TOKEN_NEVER_EXPIRES ? (
                t('page.never')
              ) : (
                <Moment timestamp={token.expired_time} absolute />
              ),
          },
          { label: t('column.created'), value: <Moment timestamp={token.created_time} absolute /> },
          {
            label: t('column.lastUsed'),
            value: token.accessed_time === 0 ? t('page.unused') : <Moment timestamp={token.accessed_time} />,
          },
        ]}
      />
    </ThingPanel>
  );
}

const SHOWN_NAMES = 6;

function Names({ names }: { names: readonly string[] }) {
  return (
    <span className="wrap8" title={names.join(', ')}>
      {names.slice(0, SHOWN_NAMES).map((name) => (
        <Tag key={name}>{name}</Tag>
      ))}
      {names.length > SHOWN_NAMES ? `+${names.length - SHOWN_NAMES}` : null}
    </span>
  );
}

function useLimits(token: Token): (Fact | false)[] {
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const of = (used: number, budget: number) => ({
    value: renderQuota(budget, display, 2),
    derived: t('page.usedOf', { used: renderQuota(used, display, 2) }),
    tone: used > budget * 0.9 ? ('warning' as const) : undefined,
  });
  return [
    token.day_budget > 0 && { label: t('page.dayBudget'), ...of(token.day_used, token.day_budget) },
    token.month_budget > 0 && { label: t('page.monthBudget'), ...of(token.month_used, token.month_budget) },
    token.requests_per_minute > 0 && {
      label: t('page.requestsPerMinute'),
      value: groupDigits(token.requests_per_minute),
    },
    token.tokens_per_minute > 0 && {
      label: t('page.tokensPerMinute'),
      value: groupDigits(token.tokens_per_minute),
    },
    token.concurrent_calls > 0 && { label: t('page.concurrent'), value: groupDigits(token.concurrent_calls) },
  ];
}

export function LimitLine({ token }: { token: Token }) {
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const { used_quota, remain_quota, held_quota, unlimited_quota } = token;
  const shown = (quota: number) => <b>{renderQuota(quota, display, 2)}</b>;
  const held =
    held_quota > 0 ? <> · {t('page.held', { held: renderQuota(held_quota, display, 2) })}</> : null;
  return (
    <ThingPanel
      title={t('page.limit')}
      hint={t('page.limitHint')}
      more={
        <span className="small soft tabular">
          {unlimited_quota ? (
            <>
              {t('page.used')} {shown(used_quota)} · {t('page.noLimit')}
            </>
          ) : (
            <>
              {t('page.limit')} {shown(used_quota + remain_quota)} − {t('page.used')} {shown(used_quota)} ={' '}
              {t('page.left')} {shown(remain_quota)}
            </>
          )}
          {held}
        </span>
      }
    >
      <QuotaBar
        used={used_quota}
        total={unlimited_quota ? undefined : used_quota + remain_quota}
        label={t('page.limit')}
      />
    </ThingPanel>
  );
}
