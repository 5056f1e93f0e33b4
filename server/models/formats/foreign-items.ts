// Tools and blocks of another vendor that lose little when they are told in common words: a tool that the client runs is a
// function whose input is known, and a summary of the conversation is text.
import type { CanonicalPart, CanonicalRequest, CanonicalTool, ConversionNote, Origin } from './canonical.ts';
import { approximate, drop } from './extras.ts';
import { number, text, type Json } from './json.ts';
import { leavesOf, noteToolOptions } from './requested-part-features.ts';

const words = (description: string): Json => ({ type: 'string', description });
const numbers = (description: string): Json => ({ type: 'array', items: { type: 'integer' }, description });

const editing = {
  path: words('Absolute path of the file or folder.'),
  file_text: words('The content of a file to create.'),
  view_range: numbers('First and last line to view; -1 is the last line of the file.'),
  old_str: words('The text to replace; it must occur exactly once.'),
  new_str: words('The text in its place, or the text to insert.'),
  insert_line: { type: 'integer', description: 'The line after which to insert; 0 is the beginning.' },
  insert_text: words('The text to insert.'),
};

const command = (...names: readonly string[]): Json => ({ type: 'string', enum: names });

interface Described {
  description: string;
  parameters: Json;
}

const described = (description: string, properties: Json, required: readonly string[]): Described => ({
  description,
  parameters: { type: 'object', properties, required },
});

/** What Anthropic's models know of these tools without being told. */
const clientTools: readonly (readonly [RegExp, Described])[] = [
  [
    /^bash_\d+$/,
    described(
      'Runs a command in a bash shell that stays open between calls.',
      {
        command: words('The command to run.'),
        restart: { type: 'boolean', description: 'Restarts the shell.' },
      },
      [],
    ),
  ],
  [
    /^text_editor_\d+$/,
    described(
      'Views, creates and edits files.',
      { command: command('view', 'create', 'str_replace', 'insert'), ...editing },
      ['command', 'path'],
    ),
  ],
  [
    /^memory_\d+$/,
    described(
      'Keeps notes between conversations in files under /memories. View the folder before you begin.',
      {
        command: command('view', 'create', 'str_replace', 'insert', 'delete', 'rename'),
        ...editing,
        old_path: words('The path of what to rename.'),
        new_path: words('Its new path.'),
      },
      ['command'],
    ),
  ],
  [
    /^computer_\d+$/,
    described(
      'Uses the screen, mouse and keyboard of a computer. Take a screenshot to see what an action did.',
      {
        action: command(
          'key',
          'type',
          'mouse_move',
          'left_click',
          'left_click_drag',
          'right_click',
          'middle_click',
          'double_click',
          'triple_click',
          'left_mouse_down',
          'left_mouse_up',
          'scroll',
          'hold_key',
          'wait',
          'screenshot',
          'cursor_position',
        ),
        coordinate: numbers('Pixels from the left and from the top of the screen.'),
        start_coordinate: numbers('Where a drag begins.'),
        text: words('The text to type, or the keys to press, such as ctrl+s.'),
        scroll_direction: command('up', 'down', 'left', 'right'),
        scroll_amount: { type: 'integer', description: 'How far to scroll, in clicks of the wheel.' },
        duration: { type: 'number', description: 'Seconds to wait or to hold a key.' },
      },
      ['action'],
    ),
  ],
];

/** A tool of Anthropic that the client runs, by its type, such as `bash_20250124`. */
export const isAnthropicClientTool = (type: string): boolean => clientTools.some(([name]) => name.test(type));

/** The request for an upstream of the vendor `own`, or of none of the three. */
export function withForeignItems(
  request: CanonicalRequest,
  own: Origin | undefined,
  notes: ConversionNote[],
): CanonicalRequest {
  const isForeign = request.tools?.some((tool) => asFunction(tool, own) !== undefined) === true;
  const isSummed = request.messages.some(({ content }) =>
    content.some((part) => summaryIn(part, own) !== ''),
  );
  if (!isForeign && !isSummed) return request;
  return {
    ...request,
    messages: request.messages.map((message) => ({
      ...message,
      content: message.content.map((part) => readable(part, own, notes)),
    })),
    ...(request.tools === undefined
      ? {}
      : { tools: request.tools.map((tool) => runnable(tool, own, notes)) }),
  };
}

const SCREEN_SIZE = ['display_width_px', 'display_height_px'] as const;

function asFunction(tool: CanonicalTool, own: Origin | undefined): Described | undefined {
  if (tool.type !== 'provider' || tool.origin !== 'anthropic' || own === 'anthropic') return undefined;
  return clientTools.find(([name]) => name.test(tool.name))?.[1];
}

function runnable(tool: CanonicalTool, own: Origin | undefined, notes: ConversionNote[]): CanonicalTool {
  const known = asFunction(tool, own);
  if (known === undefined || tool.type !== 'provider') return tool;
  approximate(notes, `tools.${tool.name}`, 'a tool that the client runs is described as a function');
  noteToolOptions(tool, ['cache_control', ...SCREEN_SIZE], notes);
  const name = text(tool.config['name']) || tool.name;
  const [width, height] = SCREEN_SIZE.map((member) => number(tool.config[member]));
  const isScreen = width !== undefined && height !== undefined;
  const description = isScreen
    ? `${known.description} The screen is ${width} pixels wide and ${height} high.`
    : known.description;
  return {
    type: 'function',
    name,
    ...known,
    description,
    ...(tool.cache === undefined ? {} : { cache: tool.cache }),
  };
}

function summaryIn(part: CanonicalPart, own: Origin | undefined): string {
  const isOther = part.type === 'provider' && part.origin === 'anthropic' && own !== 'anthropic';
  return isOther && part.item['type'] === 'compaction' ? text(part.item['content']) : '';
}

function readable(part: CanonicalPart, own: Origin | undefined, notes: ConversionNote[]): CanonicalPart {
  const summary = summaryIn(part, own);
  if (summary === '' || part.type !== 'provider') return part;
  approximate(notes, 'content.compaction', 'the summary of the conversation is told as text');
  const { content: _content, ...rest } = part.item;
  for (const path of leavesOf(rest)) drop(notes, `content.compaction.${path}`, 'only Anthropic reads it');
  return { type: 'text', text: `Summary of the conversation so far:\n${summary}` };
}
