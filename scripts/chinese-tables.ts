// Tables of Chinese documents that are made from the English ones or from the contract, so that they cannot fall behind.
import { SETTING_KEYS, settingOf } from '#contract/settings.ts';

const rows = (markdown: string): string[] => markdown.split('\n').filter((line) => line.startsWith('|'));
const cells = (row: string): string[] =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());
const row = (values: readonly string[]): string => `| ${values.join(' | ')} |`;

const FIELD_WORDS: Readonly<Record<string, string>> = {
  field: '字段',
  carried: '保留',
  approximated: '近似',
  'dropped, noted': '丢弃并注明',
  'no effect': '无作用',
};

const fieldCell = (cell: string): string =>
  cell
    .split(' / ')
    .map((word) => FIELD_WORDS[word] ?? word)
    .join(' / ');

/** The tables of docs/guides/fields.md; names of formats and fields stay. */
export function fieldTables(english: string): string {
  return english
    .slice(english.indexOf('\n## '))
    .split('\n')
    .map((line) => (line.startsWith('|') ? row(cells(line).map(fieldCell)) : line))
    .join('\n');
}

const PROVIDER_WORDS: Readonly<Record<string, string>> = {
  name: '名称',
  speaks: '支持的格式和任务',
  key: '密钥',
  list: '模型列表',
  balance: '余额',
  yes: '是',
  'its own': '自有协议',
  drawings: '绘图',
  videos: '视频',
  music: '音乐',
  'files and batches': '文件和批处理',
  'message batches': '消息批处理',
};

/** The first table of docs/providers.md; names of formats stay. */
export function providerTable(english: string): string {
  const table = english.slice(0, english.indexOf('\n## '));
  return rows(table)
    .map((line) =>
      row(
        cells(line).map((cell) =>
          cell
            .split(', ')
            .map((word) => PROVIDER_WORDS[word] ?? word)
            .join(cell.startsWith('`') ? ', ' : '、'),
        ),
      ),
    )
    .join('\n');
}

/** Every option with its label and help, from the contract. */
export function optionTable(): string {
  const escaped = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
  return [
    row(['选项', '分组', '名称', '作用']),
    row(['---', '---', '---', '---']),
    ...SETTING_KEYS.map((key) => {
      const { group, label, help } = settingOf(key);
      return row([`\`${key}\``, group, escaped(label.zh), escaped(help.zh)]);
    }),
  ].join('\n');
}

/** The formatter pads cells; what is compared is their words. */
export const squeezed = (markdown: string): string =>
  markdown
    .replaceAll(/ *\| */g, '|')
    .replaceAll(/\|:?-+:?(?=\|)/g, '|---')
    .replaceAll(/\n+/g, '\n')
    .trim();

/** Replaces what is between the marks `<!-- table -->` and `<!-- /table -->`. */
export const withTable = (markdown: string, table: string): string =>
  markdown.replace(
    /(<!-- table -->\n)[\s\S]*?(\n<!-- \/table -->)/,
    (_, open: string, close: string) => `${open}\n${table}\n${close}`,
  );

export const tableIn = (markdown: string): string =>
  /<!-- table -->\n([\s\S]*?)\n<!-- \/table -->/.exec(markdown)?.[1] ?? '';
