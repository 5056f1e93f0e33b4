/** @jsxImportSource hono/jsx */
// A conversation of the playground that its owner shows by a link: read-only, for whoever has the address, until it is revoked.
// It shows questions and answers; whose they are and what they cost has no place in its data.
import { SHARED_PATH, type SharedChat } from '#contract/admin/chats.ts';
import type { Language, Text } from '#contract/language.ts';
import { pageHtml } from '#server/admin/public-pages/layout.tsx';
import type { PublicPage } from '#server/admin/public-pages/page.ts';
import { modelHtml } from './model-text.ts';

const WORDS = {
  untitled: { zh: '分享的对话', en: 'Shared conversation' },
  about: {
    zh: '由本站用户分享的对话，仅供阅读。内容由用户和模型生成，未经核实。',
    en: 'A conversation shared by a user of this site, read-only. It was written by users and models and has not been verified.',
  },
  question: { zh: '提问', en: 'Question' },
  attached: { zh: '附件：', en: 'Attached: ' },
  tool: { zh: '调用工具', en: 'Calls a tool' },
  result: { zh: '返回', en: 'Result' },
  gone: { zh: '链接不存在或已撤销', en: 'There is no such link, or it was revoked' },
  goneText: {
    zh: '分享者可能撤销了链接。请向对方索取新的链接。',
    en: 'Its owner may have revoked it. Ask them for a new link.',
  },
} satisfies Record<string, Text>;

type Turn = SharedChat['turns'][number];

function Answer({ answer, language }: { answer: Turn['answers'][number]; language: Language }) {
  return (
    <article class="shared-answer">
      <h3>{answer.model}</h3>
      {answer.tools.map((tool) => (
        <div class="shared-tool">
          <p class="muted">
            {WORDS.tool[language]} <code>{tool.name}</code>
          </p>
          <pre tabindex={0}>{tool.arguments}</pre>
          {tool.result === undefined ? null : (
            <>
              <p class="muted">{WORDS.result[language]}</p>
              <pre tabindex={0}>{tool.result}</pre>
            </>
          )}
        </div>
      ))}
      <div class="prose" dangerouslySetInnerHTML={{ __html: modelHtml(answer.content) }} />
    </article>
  );
}

function Conversation({ chat, language }: { chat: SharedChat; language: Language }) {
  return (
    <div class="shared-chat">
      <h1>{chat.title || WORDS.untitled[language]}</h1>
      <p class="muted">{WORDS.about[language]}</p>
      {chat.turns.map((turn, index) => (
        <section aria-label={`${WORDS.question[language]} ${index + 1}`}>
          <h2>{WORDS.question[language]}</h2>
          <p class="shared-question">{turn.text}</p>
          {turn.attachments.length === 0 ? null : (
            <p class="muted">
              {WORDS.attached[language]}
              {turn.attachments.join(', ')}
            </p>
          )}
          <div class="shared-answers">
            {turn.answers.map((answer) => (
              <Answer answer={answer} language={language} />
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

export function sharedChatPage(read: (secret: string) => Promise<SharedChat | undefined>): PublicPage {
  return {
    matches: (path) => path.startsWith(SHARED_PATH),
    isPrivate: true,
    async render(asked) {
      const { language } = asked;
      const chat = await read(asked.path.slice(SHARED_PATH.length));
      const title = chat ? chat.title || WORDS.untitled[language] : WORDS.gone[language];
      const description = chat ? WORDS.about[language] : WORDS.goneText[language];
      return {
        status: chat ? 200 : 404,
        body: pageHtml({
          asked,
          title,
          description,
          isHidden: true,
          children: chat ? (
            <Conversation chat={chat} language={language} />
          ) : (
            <div class="shared-chat">
              <h1>{title}</h1>
              <p class="muted">{description}</p>
            </div>
          ),
        }),
      };
    },
  };
}
