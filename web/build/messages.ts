/** Build step: `messages.ts?zh` is the messages of that file in Chinese, so that a visit loads one language. */
import { runnerImport, type Plugin } from 'vite';
import { wordsIn, type Messages } from '#web/i18n/rows.ts';

const ONE_LANGUAGE = /^(.*\/messages(?:\/\w+)?\.ts)\?(zh|en)$/;

export function messages(): Plugin {
  const read = new Map<string, ReturnType<typeof runnerImport<{ default: Messages }>>>();
  return {
    name: 'messages',
    async load(id) {
      const [, file, language] = ONE_LANGUAGE.exec(id) ?? [];
      if (file === undefined) return undefined;
      // A build reads a file once for both languages; the dev server reads it again, because it may have changed.
      if (this.environment.mode === 'dev') read.delete(file);
      const reading = read.get(file) ?? runnerImport(file);
      read.set(file, reading);
      const { module, dependencies } = await reading;
      for (const part of dependencies) this.addWatchFile(part);
      return `export default ${JSON.stringify(wordsIn(language === 'zh' ? 'zh' : 'en', module.default))};`;
    },
  };
}
