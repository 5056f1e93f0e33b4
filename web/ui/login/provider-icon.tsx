/** The mark of a login provider. */
import {
  IconBrandGithub,
  IconBrandTelegram,
  IconBrandWechat,
  IconFingerprint,
  IconId,
  IconMessages,
  type Icon,
} from '@tabler/icons-react';
import type { OutsideProvider } from '#contract/outside-logins.ts';

const ICONS: Record<OutsideProvider | 'passkey', Icon> = {
  github: IconBrandGithub,
  linuxdo: IconMessages,
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
  const Drawn = ICONS[provider];
  return <Drawn size={size} stroke={1.6} aria-hidden />;
}
