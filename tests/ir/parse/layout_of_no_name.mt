; run: --verify
kernel k(x: ptr<f32>) layout=blocked {  ; error: expected 'lane', got 'blocked'
}
