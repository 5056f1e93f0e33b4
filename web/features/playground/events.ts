/** Splits a stream of server-sent events into the data of each event; chunks may be cut anywhere. */

export interface EventReader {
  push: (text: string) => string[];
  /** The rest when the stream closes without a blank line. */
  end: () => string[];
}

export function createEventReader(): EventReader {
  let rest = '';
  let data: string[] = [];

  function line(text: string, found: string[]): void {
    if (text === '') {
      if (data.length > 0) found.push(data.join('\n'));
      data = [];
      return;
    }
    const match = /^data(?:: ?(.*))?$/s.exec(text);
    if (match) data.push(match[1] ?? '');
  }

  return {
    push(text) {
      const found: string[] = [];
      rest += text;
      for (;;) {
        const match = /\r\n|\n|\r(?!$)/.exec(rest);
        if (!match) break;
        line(rest.slice(0, match.index), found);
        rest = rest.slice(match.index + match[0].length);
      }
      return found;
    },
    end() {
      const found: string[] = [];
      const last = rest.replace(/\r$/, '');
      rest = '';
      if (last !== '') line(last, found);
      line('', found);
      return found;
    },
  };
}
