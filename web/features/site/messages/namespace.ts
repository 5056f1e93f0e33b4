/** Makes the words of this feature known to the type check. */
import type zh from './zh.ts';

declare module '#web/i18n/namespaces.ts' {
  interface Namespaces {
    site: typeof zh;
  }
}
