// The writer thread of store tests: small procedures that show the group commit.
import { runWriter } from '#server/platform/store/sqlite/writer-thread.ts';

const notes: unknown[] = [];

runWriter({
  procedures: {
    'option.put': (context, argument) => {
      const [key, value] = argument as [string, string];
      const text =
        'insert into options (key, value) values (?, ?) on conflict (key) do update set value = excluded.value';
      return context.statement(text).run(key, value).changes;
    },
    'option.put-then-throw': (context, argument) => {
      const [key, value] = argument as [string, string];
      context.statement('insert into options (key, value) values (?, ?)').run(key, value);
      throw new Error('refused on purpose');
    },
    'batch.results': (_context, argument) => argument,
    'batch.text': (_context, argument, text) => [argument, text],
    'note.add': (_context, argument) => {
      notes.push(argument);
      return null;
    },
    'note.all': () => notes,
    'result.not-json': () => 10n,
  },
});
