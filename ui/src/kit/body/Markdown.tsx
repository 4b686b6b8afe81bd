/** Markdown as it reads. Raw HTML in it is shown as text, its pictures are not fetched, its links open elsewhere. */

import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

import classes from "./Body.module.css";

const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noreferrer noopener" title={href}>
      {children}
    </a>
  ),
  img: ({ src, alt }) =>
    typeof src === "string" && src.startsWith("data:image/") ? (
      <img className={classes["image"]} src={src} alt={alt ?? ""} />
    ) : (
      <span className="quiet" title={typeof src === "string" ? src : undefined}>
        [picture{alt ? `: ${alt}` : ""}]
      </span>
    ),
  pre: ({ children }) => <pre tabIndex={0}>{children}</pre>,
};

export default function Markdown({ text }: { text: string }) {
  return (
    <div className={classes["markdown"]}>
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}
