/** Allowed and denied caller addresses: one IP or CIDR block per line, checked while typing. */
import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { IconCirclePlus, IconWorld, IconWorldOff } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { canonicalAddress, checkAddressLines, parseRange, tidyAddressLines } from '#contract/ip-address.ts';
import { Section } from '#web/ui/input/field.tsx';
import { LineTextarea } from '#web/ui/input/line-textarea.tsx';
import layout from '#web/ui/input/form.module.css';
import { tokenQueries } from '#web/features/tokens/queries.ts';
import type { TokenForm } from './use-token-form.ts';

function useLineCheck(): (line: string) => string | undefined {
  const { t } = useTranslation('tokens');
  return (line) => {
    const range = parseRange(line);
    if (!('kind' in range)) return undefined;
    return range.kind === 'prefix' ? t('form.badPrefix', { max: range.max }) : t('form.badAddress');
  };
}

function AddMyAddress({ form }: { form: TokenForm }) {
  const { t } = useTranslation('tokens');
  const { data } = useQuery(tokenQueries.address());
  const address = data ? canonicalAddress(data.address) : null;
  const listed =
    address !== null && form.values.allow_ips.split('\n').some((line) => line.trim() === address);
  if (address === null || listed) return null;
  return (
    <UnstyledButton
      className={layout.link}
      onClick={() => form.set('allow_ips', tidyAddressLines(`${form.values.allow_ips}\n${address}`))}
    >
      <IconCirclePlus size={14} stroke={1.6} />
      {t('form.addMyAddress', { address })}
    </UnstyledButton>
  );
}

export function AddressesSection({ form, name }: { form: TokenForm; name: 'allow_ips' | 'deny_ips' }) {
  const { t } = useTranslation('tokens');
  const check = useLineCheck();
  const allowing = name === 'allow_ips';
  const title = allowing ? t('form.allow') : t('form.deny');
  const lines = checkAddressLines(form.values[name]).filter((line) => line.text !== '');
  const bad = lines.filter((line) => line.problem !== null).length;
  const valid = lines.length - bad;
  const empty = allowing ? t('form.allowFact') : t('form.denyFact');
  const counted = bad > 0 ? t('form.addressLinesBad', { valid, bad }) : t('form.addressLines', { valid });
  const Icon = allowing ? IconWorld : IconWorldOff;
  return (
    <Section icon={<Icon size={16} stroke={1.6} />} title={title} fact={lines.length === 0 ? empty : counted}>
      <LineTextarea
        label={title}
        value={form.values[name]}
        onChange={(value) => form.set(name, value)}
        check={check}
        error={form.errorOf(name)}
        placeholder={t('form.addressPlaceholder')}
        minRows={allowing ? 3 : 2}
      />
      {allowing ? <AddMyAddress form={form} /> : null}
    </Section>
  );
}
