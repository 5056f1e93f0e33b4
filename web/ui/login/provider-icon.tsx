/** The mark of a login provider. */
import {
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconFingerprint,
  IconId,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import type { OutsideProvider } from '#contract/admin/outside-logins.ts';

interface MarkProps {
  size: number;
  stroke: number;
  'aria-hidden': true;
}

/** The icon set has no LinuxDO mark: a circle with two bands. */
function ForumMark({ size, stroke, ...rest }: MarkProps) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={stroke}
      {...rest}
    >
      <circle cx="12" cy="12" r="9" />
      <path d="M3.8 9h16.4M3.8 15h16.4" />
    </svg>
  );
}

const MARKS: Record<OutsideProvider | 'passkey', ComponentType<MarkProps>> = {
  github: IconBrandGithub,
  linuxdo: ForumMark,
  oidc: IconId,
  wechat: IconBrandWechat,
  telegram: IconBrandTelegram,
  passkey: IconFingerprint,
};

interface ProviderIconProps {
  provider: OutsideProvider | 'passkey';
  size?: number;
}

export function ProviderIcon({ provider, size = 17 }: ProviderIconProps) {
  const Mark = MARKS[provider];
  return <Mark size={size} stroke={1.6} aria-hidden />;
}
