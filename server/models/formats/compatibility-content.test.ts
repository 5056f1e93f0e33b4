// The points of schemas, limits and media where gateways go wrong, one test for each.
import { describe, expect, test } from 'bun:test';
import type { ConversionNote } from './canonical.ts';
import { geminiSchema } from './gemini-generate/schema.ts';
import type { Json } from './json.ts';
import { convert } from '#tests/support/formats.ts';

const chat = 'openai-chat';
const responses = 'openai-responses';
const anthropic = 'anthropic-messages';
const gemini = 'gemini-generate';

const user = { role: 'user', content: 'Hi' };

describe('compatibility 15: schemas for Gemini', () => {
  const cleaned = (schema: Json): { schema: Json; notes: ConversionNote[] } => {
    const notes: ConversionNote[] = [];
    return { schema: geminiSchema(schema, 'tools.t', notes), notes };
  };

  test('references are put in place, not deleted', () => {
    const { schema } = cleaned({
      $schema: 'x',
      type: 'object',
      additionalProperties: false,
      properties: {
        list: { type: 'array', items: { $ref: '#/$defs/item' } },
        one: { allOf: [{ $ref: '#/$defs/item' }], description: 'the one' },
      },
      $defs: {
        item: { type: 'object', properties: { id: { type: 'integer', exclusiveMinimum: 0, default: 1 } } },
      },
    });
    const item = { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } };
    expect(schema).toEqual({
      type: 'object',
      properties: { list: { type: 'array', items: item }, one: { ...item, description: 'the one' } },
    });
  });

  test('a schema that contains itself ends', () => {
    const { schema } = cleaned({
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } } } },
    });
    expect(JSON.stringify(schema)).not.toContain('$ref');
    expect(schema).toMatchObject({ properties: { next: { properties: { next: { type: 'object' } } } } });
  });

  test('references that multiply, depth without end and inherited names do no harm', () => {
    const level = (next: string): Json => {
      const properties = Object.fromEntries(
        Array.from({ length: 10 }, (_, index) => [`p${index}`, { $ref: `#/$defs/${next}` }]),
      );
      return { type: 'object', properties };
    };
    const $defs = Object.fromEntries(
      Array.from({ length: 11 }, (_, index) => [`d${index}`, level(`d${index + 1}`)]),
    );
    const { schema, notes } = cleaned({ ...level('d0'), $defs });
    expect(JSON.stringify(schema).length).toBeLessThan(1_000_000);
    expect(notes.map(({ detail }) => detail)).toEqual(['the schema is too large; its depths are left open']);
    let deep: Json = {};
    for (let depth = 0; depth < 5000; depth += 1) deep = { type: 'array', items: deep };
    expect(cleaned(deep).notes).toHaveLength(1);
    expect(cleaned({ type: 'constructor', format: 'toString' }).schema).toEqual({ type: 'constructor' });
  });

  test('alternatives, null and constants are written in Gemini’s form', () => {
    const { schema, notes } = cleaned({
      type: 'object',
      properties: {
        maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
        either: { oneOf: [{ type: 'string' }, { type: 'number' }] },
        nullable: { type: ['integer', 'null'] },
        kind: { const: 'a' },
        level: { enum: [1, 2] },
        mail: { type: 'string', format: 'email' },
        words: { type: 'object', patternProperties: {} },
      },
      required: ['maybe', 'ghost'],
    });
    expect(schema).toEqual({
      type: 'object',
      properties: {
        maybe: { type: 'string', nullable: true },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        nullable: { type: 'integer', nullable: true },
        kind: { type: 'string', enum: ['a'] },
        level: { description: 'One of: 1, 2' },
        mail: { type: 'string' },
        words: { type: 'object' },
      },
      required: ['maybe'],
    });
    expect(notes.map(({ detail }) => detail)).toEqual([
      'Gemini’s schemas have no format email',
      'Gemini’s schemas have no patternProperties',
    ]);
  });

  test('a result with references is a text, other objects stay objects', () => {
    const call = { id: 'a', type: 'function', function: { name: 't', arguments: '{}' } };
    const response = (content: string): unknown => {
      const messages = [
        user,
        { role: 'assistant', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'a', content },
      ];
      const { body } = convert(chat, gemini, { model: 'gemini', messages });
      const [part] = (body['contents'] as { parts: { functionResponse: Json }[] }[])[2]?.parts ?? [];
      return part?.functionResponse;
    };
    expect(response('{"$ref":"#/x"}')).toEqual({ name: 't', response: { output: '{"$ref":"#/x"}' } });
    expect(response('{"a":1}')).toEqual({ name: 't', response: { a: 1 } });
  });
});

describe('compatibility 17: limits of length', () => {
  test('Claude gets a limit, and thinks less than it', () => {
    const { body, noted } = convert(chat, anthropic, { model: 'claude-3-haiku', messages: [user] });
    expect(body['max_tokens']).toBe(4096);
    expect(noted).toEqual(['approximated max_tokens']);
    const thinking = {
      model: 'claude-sonnet-4-20250514',
      messages: [user],
      max_tokens: 3000,
      reasoning_effort: 'high',
    };
    expect(convert(chat, anthropic, thinking).body).toMatchObject({
      max_tokens: 3000,
      thinking: { type: 'enabled', budget_tokens: 2999 },
    });
    const free = convert(chat, anthropic, { ...thinking, max_tokens: null }).body;
    expect(free['max_tokens']).toBeGreaterThan((free['thinking'] as { budget_tokens: number }).budget_tokens);
  });

  test('a limit that a model refuses becomes its maximum, with a note', () => {
    const asked = { max_tokens: 100_000, messages: [user] };
    const plain = convert(anthropic, chat, { ...asked, model: 'gpt-4o' });
    expect(plain.body['max_tokens']).toBe(16_384);
    expect(plain.noted).toEqual(['approximated max_tokens']);
    expect(convert(anthropic, chat, { ...asked, model: 'some-model' }).body['max_tokens']).toBe(100_000);
    expect(convert(chat, anthropic, { ...asked, model: 'claude-3-haiku-20240307' }).body['max_tokens']).toBe(
      4096,
    );
    expect(convert(chat, anthropic, { ...asked, model: 'claude-opus-4-20250514' }).body['max_tokens']).toBe(
      32_000,
    );
    expect(convert(chat, gemini, { ...asked, model: 'gemini-2.5-pro' }).body).toMatchObject({
      generationConfig: { maxOutputTokens: 65_536 },
    });
  });

  test('OpenAI’s reasoning models get max_completion_tokens, others max_tokens', () => {
    const body = { max_tokens: 100, messages: [user] };
    expect(convert(anthropic, chat, { ...body, model: 'o3-mini' }).body).toMatchObject({
      max_completion_tokens: 100,
    });
    expect(convert(anthropic, chat, { ...body, model: 'deepseek-chat' }).body).toMatchObject({
      max_tokens: 100,
    });
  });
});

describe('compatibility 18: pictures and documents', () => {
  const content = [
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    { type: 'image_url', image_url: { url: 'https://a.com/b.jpg' } },
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BB==' } },
  ];
  const body = { model: 'm', messages: [{ role: 'user', content }] };

  test('by content and by address, in each format’s way and back', () => {
    expect(convert(chat, anthropic, body).body).toMatchObject({
      messages: [
        {
          content: [
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
            { type: 'image', source: { type: 'url', url: 'https://a.com/b.jpg' } },
            {
              type: 'document',
              title: 'a.pdf',
              source: { type: 'base64', media_type: 'application/pdf', data: 'BB==' },
            },
          ],
        },
      ],
    });
    expect(convert(chat, gemini, body).body).toMatchObject({
      contents: [
        {
          parts: [
            { inlineData: { mimeType: 'image/png', data: 'AA==' } },
            { fileData: { mimeType: 'image/jpeg', fileUri: 'https://a.com/b.jpg' } },
            { inlineData: { mimeType: 'application/pdf', data: 'BB==' } },
          ],
        },
      ],
    });
    const items = convert(chat, responses, body).body;
    expect(items).toMatchObject({
      input: [
        {
          content: [
            { type: 'input_image', image_url: 'data:image/png;base64,AA==' },
            { type: 'input_image', image_url: 'https://a.com/b.jpg' },
            { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,BB==' },
          ],
        },
      ],
    });
    expect(convert(anthropic, chat, convert(chat, anthropic, body).body).body).toMatchObject({
      messages: [{ content }],
    });
  });

  test('a file stored at one provider is not sent to another, with a note', () => {
    const kept = {
      model: 'claude',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'file', file: { file_id: 'f1' } },
            { type: 'text', text: 'x' },
          ],
        },
      ],
    };
    expect(convert(chat, anthropic, kept).noted).toContain('dropped content.file');
    expect(convert(chat, responses, kept).body).toMatchObject({
      input: [{ content: [{ file_id: 'f1' }, {}] }],
    });
  });

  test('a picture in a result follows the results of a chat', () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } };
    const messages = [
      user,
      {
        role: 'assistant',
        content: [
          { type: 'tool_use', id: 'a', name: 't', input: {} },
          { type: 'tool_use', id: 'b', name: 't', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'seen' }, picture] },
          { type: 'tool_result', tool_use_id: 'b', content: 'y' },
        ],
      },
    ];
    const { body, noted } = convert(anthropic, chat, { model: 'm', messages });
    expect((body['messages'] as Json[]).map((message) => message['role'])).toEqual([
      'user',
      'assistant',
      'tool',
      'tool',
      'user',
    ]);
    expect(noted).toContain('approximated tool_result.content');
  });
});
