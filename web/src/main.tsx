import { CSPProvider } from "@base-ui/react/csp-provider";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { queries } from "./api/hooks.ts";
import { onLanguage, startTheme } from "./frame/appearance.ts";
import { router } from "./router.tsx";
import { speak, wantedLanguage } from "./words/words.ts";
import "./styles.css";

async function start(): Promise<void> {
  startTheme();
  await speak(wantedLanguage());
  const root = createRoot(document.getElementById("root") as HTMLElement);
  // Words are taken when something is drawn, so that another language draws everything anew.
  const draw = (language: string) =>
    root.render(
      <StrictMode>
        <CSPProvider disableStyleElements>
          <QueryClientProvider client={queries}>
            <RouterProvider key={language} router={router} />
          </QueryClientProvider>
        </CSPProvider>
      </StrictMode>,
    );
  onLanguage(draw);
  draw(wantedLanguage());
}

void start();
