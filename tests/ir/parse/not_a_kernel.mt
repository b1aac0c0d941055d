; run: --verify
hello  ; error: expected 'kernel', got 'hello'
