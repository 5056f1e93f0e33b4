// A domain that was read lately is not read again, and its owners are told of each step once: a second run changes nothing.
import { HOUR_SECONDS } from '#contract/time.ts';
import type { MakeJob } from './parts.ts';

export const signOnCheck: MakeJob = (parts) => ({
  name: 'sign-on-check',
  title: { zh: '组织单点登录检查', en: 'Sign-on of organizations' },
  description: {
    zh: '每小时读取各组织身份提供方的配置，每天读取其邮箱域名的 TXT 记录；记录消失 7 天后，该域名不再用于单点登录。',
    en: "Reads the configuration of each organization's identity provider every hour and the TXT records of its mail domains every day; a domain whose record is gone for 7 days is no longer used for sign-on.",
  },
  everySeconds: HOUR_SECONDS,
  lease: 'cluster',
  run: (signal) => parts.checkSignOn(signal),
});
