; run: --verify  ; error: expected 'kernel', got the end of the text
