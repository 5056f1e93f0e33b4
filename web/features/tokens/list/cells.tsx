/** The cells of a token, shared by rows and cards. */
import { Tooltip } from '@mantine/core';
import { IconAlertTriangleFilled, IconClockExclamation, IconServer2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import {
  modelLimitList,
  TOKEN_KEY_PREFIX,
  TOKEN_NEVER_EXPIRES,
  TOKEN_STATUS,
  type TokenView,
} from '#contract/admin/tokens.ts';
import { Empty } from '#web/ui/badge/empty.tsx';
import { QuotaBar, quotaTone, Sparkbars } from '#web/ui/badge/posts.tsx';
import { StatusBadge } from '#web/ui/badge/status.tsx';
import { GroupTag } from '#web/ui/badge/tag.tsx';
import { CopyButton } from '#web/ui/copy/copy-button.tsx';
import { maskSecret } from '#web/ui/copy/mask.ts';
import { useDisplay } from '#web/ui/format/display.ts';
import { Moment, useNow } from '#web/ui/format/moment.tsx';
import { renderQuota } from '#web/ui/format/number.ts';
import { fullKey } from '#web/features/tokens/copy-formats.ts';
import { isWhole, lineCount, tokenState, totalQuota } from '#web/features/tokens/token-state.ts';
import classes from '#web/features/tokens/tokens.module.css';

const WEEK_SECONDS = 7 * 86_400;
/** The start of a list; the drawer shows all of it. */
const LISTED = 12;

export function NameCell({ token, ownGroup }: { token: TokenView; ownGroup: string }) {
  const { t } = useTranslation('tokens');
  const tag = <GroupTag group={token.group || ownGroup} />;
  return (
    <span className={`row6 shrink ${classes.name}`}>
      <span title={token.name}>{token.name}</span>
      {token.group ? tag : <Tooltip label={t('ownGroup')}>{<span>{tag}</span>}</Tooltip>}
    </span>
  );
}

/** Of an organization's key: the member or service account, and below the project. */
export function HolderCell({ token }: { token: TokenView }) {
  const { member_name = '', service_account_name = '', project_name = '' } = token;
  return (
    <span className="row6 shrink" title={project_name}>
      {member_name === '' ? <IconServer2 size={14} stroke={1.6} aria-hidden className="fixed" /> : null}
      <span className="cut">{member_name || service_account_name}</span>
      <span className="note cut">{project_name}</span>
    </span>
  );
}

export function StateCell({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  const kind = tokenState(token);
  return <StatusBadge kind={kind}>{t(`status.${kind}`)}</StatusBadge>;
}

export function KeyCell({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  return (
    <span className={classes.key}>
      <code>{TOKEN_KEY_PREFIX + (isWhole(token) ? maskSecret(token.key) : token.key)}</code>
      {isWhole(token) ? <CopyButton text={() => fullKey(token)} label={t('action.copyKey')} /> : null}
    </span>
  );
}

/** The texts of a quota: used, total, and whether it is nearly spent. */
function useQuotaWords(token: TokenView) {
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const total = totalQuota(token);
  const off = token.status === TOKEN_STATUS.disabled || token.status === TOKEN_STATUS.expired;
  const used = renderQuota(token.used_quota, display);
  const of = total === undefined ? t('quota.unlimited') : renderQuota(total, display).replace(/\.00$/, '');
  const label =
    total === undefined ? t('quota.usedUnlimited', { used }) : t('quota.used', { used, total: of });
  const held =
    token.held_quota > 0 ? t('quota.held', { held: renderQuota(token.held_quota, display) }) : undefined;
  return { total, off, used, of, label, held, tone: quotaTone({ used: token.used_quota, total, off }) };
}

export function QuotaMeter({ token }: { token: TokenView }) {
  const { total, off, label, held } = useQuotaWords(token);
  return (
    <QuotaBar
      used={token.used_quota}
      total={total}
      off={off}
      label={label}
      tooltip={held ? `${label} · ${held}` : label}
    />
  );
}

export function QuotaAmount({ token, marked }: { token: TokenView; marked?: boolean }) {
  const { used, of, tone } = useQuotaWords(token);
  return (
    <>
      {marked && (tone === 'near' || tone === 'spent') ? (
        <IconAlertTriangleFilled size={13} aria-hidden />
      ) : null}
      <span className={`grow ellipsis ${classes.amount}`} data-tone={tone}>
        <span>{used}</span>
        <span> / {of}</span>
      </span>
    </>
  );
}

export function QuotaCell({ token }: { token: TokenView }) {
  return (
    <span className={`row8 ${classes.quota}`}>
      <QuotaMeter token={token} />
      <QuotaAmount token={token} />
    </span>
  );
}

export function RecentCell({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  const display = useDisplay();
  const total = token.recent_quota.reduce((sum, quota) => sum + quota, 0);
  const label = t('recent', {
    today: renderQuota(token.recent_quota.at(-1) ?? 0, display),
    total: renderQuota(total, display),
  });
  return (
    <Tooltip label={label}>
      <span>
        <Sparkbars values={token.recent_quota} label={label} />
      </span>
    </Tooltip>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul className="code">
      {lines.slice(0, LISTED).map((line) => (
        <li key={line}>{line}</li>
      ))}
      {lines.length > LISTED ? <li>+{lines.length - LISTED}</li> : null}
    </ul>
  );
}

export function ModelsCell({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  if (!token.model_limits_enabled) return <span className="muted">{t('models.all')}</span>;
  const models = modelLimitList(token.model_limits);
  if (models.length === 0) return <span>{t('models.none')}</span>;
  return (
    <Tooltip label={<Lines lines={models} />}>
      <span>{t('models.some', { count: models.length })}</span>
    </Tooltip>
  );
}

export function AddressesCell({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  const allowed = lineCount(token.allow_ips);
  const blocked = lineCount(token.deny_ips);
  if (allowed + blocked === 0) return <span className="muted">{t('addresses.all')}</span>;
  const words = [
    allowed > 0 ? t('addresses.allowed', { count: allowed }) : undefined,
    blocked > 0 ? t('addresses.blocked', { count: blocked }) : undefined,
  ].filter((word) => word !== undefined);
  const lines = [token.allow_ips, token.deny_ips.replaceAll(/^(?=.)/gm, '− ')]
    .join('\n')
    .split('\n')
    .filter(Boolean);
  return (
    <Tooltip label={<Lines lines={lines} />}>
      <span>{words.join(' · ')}</span>
    </Tooltip>
  );
}

export function ExpiryCell({ token }: { token: TokenView }) {
  const { t } = useTranslation('tokens');
  const now = useNow();
  if (token.expired_time === TOKEN_NEVER_EXPIRES) return <span className="muted">{t('never')}</span>;
  const moment = <Moment timestamp={token.expired_time} />;
  const left = token.expired_time - now;
  if (left <= 0 || left > WEEK_SECONDS) return moment;
  return (
    <span className={`row4 warning`}>
      <IconClockExclamation size={13} stroke={1.6} aria-hidden />
      {moment}
    </span>
  );
}

export function LastUsedCell({ token }: { token: TokenView }) {
  return token.accessed_time > 0 ? <Moment timestamp={token.accessed_time} /> : <Empty />;
}
